// Command voice-input is described in voice-input(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/supervise"
)

func main() {
	os.Exit(cli.Main(context.Background(), supervise.Program(), cli.OS()))
}
