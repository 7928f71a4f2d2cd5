//go:build race

package wayland

const raceEnabled = true // the detector needs memory of its own
