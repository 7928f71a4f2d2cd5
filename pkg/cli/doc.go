// Package cli is the frame that every program of voice-input stands in: how
// it reads its flags, where its input and output are, how it says what went
// wrong and with which status it exits.
//
// The rules of the terminal interface:
//
//   - Standard output holds records and nothing else, except where a program's
//     manual says so (samples, delivered text, help and version on request).
//   - Standard error is silent on success. A failure is "tool: error: …", in
//     lower case and without a full stop, then "tool: hint: …" if there is
//     something that the user can do. It never holds dictated text, window
//     titles, terms or keys.
//   - One place, Main, prints errors and chooses the status; everything below
//     it only returns errors.
//
// urfave/cli is tamed here and nowhere else: on its own it prints a usage
// error's help on standard output and calls os.Exit.
package cli
