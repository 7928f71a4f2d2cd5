// Package supervise turns hotkey commands into dictations. It owns the state
// machine, the processes of the stages, the control socket and the spool, and
// nothing of what a stage does: it reaches the stages by exec and pkg/wire
// alone.
//
// One goroutine, the daemon's loop, owns all state. Everything else posts to
// it. A take's samples go to a file in the spool first and from there to the
// recogniser, so a slow or dead recogniser never holds up the microphone and
// a take can be recognised again for as long as its text was not delivered.
package supervise
