// Package provider says what the error codes of recognition services mean. A
// code is foreign text: only what looks like one is shown, and the messages
// beside the codes, which may hold anything, are looked at and never kept.
package provider
