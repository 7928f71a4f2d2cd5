// Package native is the native pass of the DashScope recognisers: one HTTP
// request with a whole recording, instead of a stream. It takes the place of
// a stream that broke, or checks one; Decide says when it is run and Select
// which of the two texts counts.
//
// A request holds at most 300 s, the limit of the service. A longer recording
// is cut where it is quiet, and the texts of its pieces are joined.
package native
