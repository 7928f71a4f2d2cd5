// Command fakecloud serves a fake of the speech services by hand. It prints
// its address as one line of JSON and the journal, a line of JSON per
// connection, to standard error or a file; it ends with SIGINT or SIGTERM.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"voice-input/tests/fakecloud"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "fakecloud:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("fakecloud", flag.ExitOnError)
	file := flags.String("scenario", "", "read the scenario from `FILE` (JSON, see tests/fakecloud/scenario.go)")
	address := flags.String("listen", "", "listen on `ADDRESS`, on the loopback (default 127.0.0.1:0)")
	journal := flags.String("journal", "", "append the journal to `FILE` instead of standard error")
	anything := flags.Bool("any", false, "accept any sound, not only the ramp")
	say := flags.String("say", "", "recognise `TEXT`, a sentence each second, separated by |")
	server := flags.String("server", "", "be the server `KIND` on /v1/audio/transcriptions: openai, groq or vllm")
	flags.Usage = func() {
		fmt.Fprintf(errs, "usage: fakecloud [flags]\n\nThe key is %s unless the scenario has another.\n\n", fakecloud.DefaultToken)
		flags.PrintDefaults()
	}
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	var scenario fakecloud.Scenario
	if *file != "" {
		var err error
		if scenario, err = fakecloud.Load(*file); err != nil {
			return err
		}
	}
	scenario.Log = errs
	if *journal != "" {
		f, err := os.OpenFile(*journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("cannot write the journal: %w", err)
		}
		defer f.Close()
		scenario.Log = f
	}
	if *address != "" {
		scenario.Address = *address
	}
	scenario.Audio.Any = scenario.Audio.Any || *anything
	if *say != "" {
		scenario.Results = fakecloud.Sentences(16000, strings.Split(*say, "|")...)
	}
	if *server != "" {
		scenario.Transcriptions.Server = *server
	}

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	srv, err := fakecloud.Start(scenario)
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]string{"url": srv.Base()})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", line)
	<-stop
	return srv.Close()
}
