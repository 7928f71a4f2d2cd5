// Command vi-asr recognises speech.
package main

import (
	"context"
	"os"

	"voice-input/pkg/asr"
	"voice-input/pkg/cli"
)

func main() { os.Exit(cli.Main(context.Background(), asr.Command(), cli.OS())) }
