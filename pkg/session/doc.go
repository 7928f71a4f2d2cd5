// Package session finds the session of a coding agent from its process and
// reads the newest completed answer from the session's file.
//
// It is built from three parts that know nothing of each other:
//
//   - who: process.go makes sure that the process is the one that was focused,
//     runs the agent, and lives in our namespaces under our user;
//   - where: codex.go and pi.go find the one file that this process writes,
//     or say why there is none; a session is never guessed;
//   - what: tail.go reads a file backwards, codexanswer.go and pianswer.go
//     recognise the answer in its records.
//
// Whatever goes wrong becomes one word of the closed list of vi.session/1. The
// text of the answer goes into Source.Text and nowhere else.
package session
