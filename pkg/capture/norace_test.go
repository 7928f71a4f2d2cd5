//go:build !race

package capture

var buildFlags, buildEnv []string
