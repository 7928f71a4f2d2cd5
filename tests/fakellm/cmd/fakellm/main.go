// Command fakellm serves package fakellm until it is interrupted.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"voice-input/tests/fakellm"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8099", "loopback `ADDRESS` to listen at")
	key := flag.String("key", "", "`KEY` that every request has to bring")
	list := flag.Bool("list", false, "list the models and end")
	flag.Parse()
	if *list {
		fmt.Println("fake/edit")
		for _, f := range fakellm.Faults {
			fmt.Println("fake/" + f.Name)
		}
		return
	}
	s, err := fakellm.Listen(*addr, *key)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakellm: error: cannot listen:", err)
		os.Exit(1)
	}
	defer s.Close()
	fmt.Println("serving at", s.URL)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
}
