// Package chain is an engine that asks several, one after the other, until one
// has recognised a whole take. Each gets all of the samples and the same hints.
//
// What an engine returns decides how it goes on:
//
//	the take was given up         it ends
//	text                          that is the text
//	neither text nor a failure    nothing was said, unless an engine before had
//	                              text; nobody else is asked
//	no text although it had       a failure, "final_empty"
//	settled some
//	any failure                   the next engine is asked; the text that came
//	                              with it or was settled is kept
//
// If none of them recognises all of it, the longest text that was kept is
// returned with the failure of its engine.
package chain
