// Package notify shows on the desktop what becomes of a take, by
// org.freedesktop.Notifications on the session bus.
//
// There is one notification at a time, and it is replaced as things go on. It
// never holds what was dictated. Nothing is connected while nothing is shown,
// and whoever tells of a change never waits: the newest counts, and without a
// bus or a server it is dropped.
//
// Kitty's own notifications (OSC 99) are not used. They are written by the
// program in the window, to its terminal; from outside there is only remote
// control, which could type them, or the terminal device, where they would end
// up within the program's own output. Kitty hands them to the same service on
// the bus.
package notify
