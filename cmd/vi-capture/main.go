// Vi-capture records a microphone to standard output.
package main

import (
	"context"
	"os"

	"voice-input/pkg/capture"
	"voice-input/pkg/cli"
)

func main() { os.Exit(cli.Main(context.Background(), capture.Command(), cli.OS())) }
