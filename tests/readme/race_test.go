//go:build race

package readme

// The programs under test have the race detector if the tests have it.
var buildFlags = []string{"-race"}
