// Package paste delivers text by the clipboard and the key that pastes: it
// saves what the clipboard holds, offers the text, presses the key, waits
// until the text was read, and gives the clipboard back.
//
// The order of the steps is here; the desktops' own clipboards and keyboards
// are in the packages beside it. What was saved lives in files without a name
// (memfd), so that a small process can go on to serve it after the delivery
// has ended; see Snapshot.Keep.
package paste
