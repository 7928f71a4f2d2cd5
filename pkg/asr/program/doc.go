// Package program is the engine that is a program on this machine. The program
// is started once and kept: it loads its model, says that it is ready, and
// then gets one vi.take/1 line for each take on its standard input. It reads
// the take's samples from a FIFO while they come, and answers with vi.asr/1
// lines on its standard output.
//
// The program is not trusted to keep to that. Every step has a limit (see
// limits.go), every line is checked, and a program that breaks the protocol is
// killed and started anew for the next take.
package program
