// Command vi-focus is described in vi-focus(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/focus"
)

func main() {
	os.Exit(cli.Main(context.Background(), focus.Command(), cli.OS()))
}
