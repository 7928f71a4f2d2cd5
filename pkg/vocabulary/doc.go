// Package vocabulary reads the user's own lists: the words that dictation
// should know, and fixed replacements of what is heard by what is meant.
//
// There are two files, one of the user's and one that a project carries with
// it. Both have the same form:
//
//	words = ["voice-input", {text = "Kubernetes", weight = 5}]
//
//	[[replacements]]
//	from = "cube control"
//	to = "kubectl"
//
// A file is read only if it belongs to the user and nobody else can write to
// it, because a replacement changes what the user is heard to say.
package vocabulary
