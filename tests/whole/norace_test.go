//go:build !race

package whole_test

var buildFlags []string
