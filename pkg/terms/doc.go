// Package terms makes of a text the list of words in it that a recogniser
// would not spell right by itself.
//
// It is the narrow waist of voice-input: what it lets out is all that a
// program which may use the network can see of an agent's answer. The order of
// its steps is fixed:
//
//	fold      to NFC, normal width, no invisible characters   source.go
//	redact    secrets out, before anything is cut             package redact
//	clamp     to the budget, between words                    source.go
//	scan      prose, code spans, code blocks                  scan.go
//	tokenize  technical forms whole; Han through a dictionary token.go, dictionary.go
//	judge     is it a term?                                   judge.go
//	rank      rare first, then in the order of the source     rank.go
//	choose    two views of whole terms within exact limits    views.go
//
// Counts, positions and the text itself never leave it.
package terms
