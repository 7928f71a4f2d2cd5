//go:build race

package session

// The race detector makes the comparison with the naive reader, which one
// goroutine does, ten times slower and no better; so it sees less of it.
const (
	cutEach  = 20011 // bytes
	sessions = 300
)
