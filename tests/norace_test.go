//go:build !race

package tests

var buildFlags []string
