//go:build !race

package supervise

var buildFlags []string
