// Package history keeps what was dictated, so that words whose delivery went
// wrong, or whose window is gone, are not lost.
//
// The store is a file of vi.history/1 lines that only grows. An entry is
// written before its text is delivered, and a second line tells what became of
// it. When the file is over its limits it is replaced by a shorter one. A lock
// keeps the daemon and its clients from each other; whoever cannot have it in
// time does without, for a delivery must never wait for its history.
//
// A line that cannot be read is skipped and counted. It stays until the
// entries around it are too old, or until the history is cleared: it may be of
// a later version, or hold words that somebody can still save by hand.
package history
