// Package literal protects what a model must not touch.
//
// Mask replaces the literals of a text by markers, [[1]], [[2]] and so on;
// Unmask puts them back after it was checked that the answer has each marker
// once. Literals are code, commands, flags, paths, URLs, file names, versions,
// numbers with units, identifiers, and the terms of the snapshot. What looks
// like a marker in the text is a literal too, so that masking and unmasking
// are the identity on every text.
//
// Some literals are left open, that is as they are: those that a term
// resembles, because the model shall be able to correct them, and those that
// the speaker repeats or takes back ("config.yaml, no wait, config.toml"),
// because the model shall be able to drop them. What became of them is for
// package review to judge. Words of everyday language are no literals, even if
// they are terms: a marker in the place of an ordinary word would take from the
// model what it needs to understand the sentence.
package literal
