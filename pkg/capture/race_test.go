//go:build race

package capture

// The program is watched for races when the tests are. It must not wait a
// second at its end, and the status for a race is one that it never has.
var (
	buildFlags = []string{"-race"}
	buildEnv   = []string{"GORACE=atexit_sleep_ms=0 exitcode=99"}
)
