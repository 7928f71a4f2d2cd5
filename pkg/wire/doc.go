// Package wire holds the records that the programs of voice-input exchange
// and the code that reads and writes them.
//
// A record is one JSON object on one line: UTF-8, LF, "schema" first, then
// "reason". Within a schema's major version members are only ever added;
// readers ignore members they do not know and refuse a major they do not
// know. Enumerations are lower-case words and open-ended: a reader treats a
// word it does not know as "something else", never as an error. Durations are
// integers with their unit in the name (_ms, _us).
//
// The package knows nothing of where a record comes from or goes to and
// imports the standard library only.
package wire
