// Command vi-type is described in vi-type(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/deliver"
)

func main() {
	os.Exit(cli.Main(context.Background(), deliver.Command(), cli.OS()))
}
