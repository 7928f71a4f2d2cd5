// Command vi-refine is described in vi-refine(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/refine"
)

func main() {
	os.Exit(cli.Main(context.Background(), refine.Command(), cli.OS()))
}
