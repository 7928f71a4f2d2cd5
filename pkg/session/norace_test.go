//go:build !race

package session

const (
	cutEach  = 1009 // bytes
	sessions = 3000
)
