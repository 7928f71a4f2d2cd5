// Command vi-session is described in vi-session(1).
package main

import (
	"context"
	"os"

	"voice-input/pkg/cli"
	"voice-input/pkg/session"
)

func main() {
	os.Exit(cli.Main(context.Background(), session.Command(), cli.OS()))
}
