//go:build !race

package readme

var buildFlags []string
