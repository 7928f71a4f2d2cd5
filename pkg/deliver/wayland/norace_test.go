//go:build !race

package wayland

const raceEnabled = false
