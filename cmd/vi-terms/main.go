// Command vi-terms is described in vi-terms(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/terms"
)

func main() { os.Exit(cli.Main(context.Background(), terms.Command(), cli.OS())) }
