// Command engine is an engine program for tests. The name that it is called
// by says how it behaves; "count" keeps to the protocol and tells what it was
// given.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

type take struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Audio    struct {
		Path     string `json:"path"`
		Format   string `json:"format"`
		Rate     int    `json:"rate"`
		Channels int    `json:"channels"`
	} `json:"audio"`
	Hints []string `json:"hints"`
}

var (
	mode  = filepath.Base(os.Args[0])
	model = flag.String("model", "", "")
	check = flag.Bool("check", false, "")
)

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func emit(kind, id string, more map[string]any) {
	m := map[string]any{"schema": "vi.asr/1", "reason": "ok", "type": kind}
	if id != "" {
		m["take"] = id
	}
	for k, v := range more {
		m[k] = v
	}
	b, _ := json.Marshal(m)
	os.Stdout.Write(append(b, '\n'))
}

func final(id, text string) { emit("final", id, map[string]any{"text": text, "outcome": "usable"}) }

func die(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(69)
}

func main() {
	flag.Parse()
	if *check {
		switch {
		case mode == "whisper":
			die("whisper: error: no model\x1b[31m")
		case mode == "check-hangs":
			forever()
		case *model == "absent":
			die("no model of that name")
		}
		return
	}
	switch mode {
	case "no-ready":
		forever()
	case "refuses":
		die("cannot load model %q", *model)
	case "crashes-at-start":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "error-at-start":
		emit("error", "", map[string]any{"kind": "unavailable", "code": "no_model", "reason": "failed"})
		forever()
	case "garbage-at-start":
		fmt.Println("loading …")
		forever()
	case "ignores-term":
		signal.Ignore(syscall.SIGTERM)
		exec.Command("sleep", "3600").Start()
	case "chatty":
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1000))
			}
		}()
	}
	emit("ready", "", map[string]any{"engine": "test"})
	if mode == "deaf" {
		forever()
	}
	if mode == "out-of-turn" {
		emit("partial", "0", map[string]any{"draft": "hello"})
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			if mode == "ignores-term" {
				forever()
			}
			return
		}
		var t take
		if err := json.Unmarshal(line, &t); err != nil {
			die("bad line")
		}
		recognise(t)
	}
}

func recognise(t take) {
	switch mode {
	case "no-open":
		forever()
	case "language":
		emit("error", t.ID, map[string]any{"kind": "language", "code": "unsupported", "reason": "failed"})
		return
	case "own-kind":
		emit("error", t.ID, map[string]any{"kind": "Very Own\n", "code": strings.Repeat("é \n", 100), "reason": "failed"})
		return
	case "final-without-samples":
		final(t.ID, "made up")
		return
	case "floods-lines":
		for {
			emit("partial", t.ID, map[string]any{"draft": "x"})
		}
	case "long-line":
		for {
			os.Stdout.WriteString(strings.Repeat("x", 1<<16))
		}
	case "garbage":
		fmt.Println("Segmentation fault (core dumped)")
	case "wrong-take":
		emit("partial", "other", map[string]any{"draft": "x"})
	case "newer":
		fmt.Println(`{"schema":"vi.asr/2","reason":"ok","type":"final"}`)
	}
	f, err := os.Open(t.Audio.Path)
	if err != nil {
		die("%v", err)
	}
	defer f.Close()
	if _, err := os.Stat(t.Audio.Path); err == nil && mode == "count" {
		// The FIFO goes away as soon as it is open, which may be now.
		for range 500 {
			if _, err := os.Stat(t.Audio.Path); err != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	hash := sha256.New()
	var n int64
	read := func(limit int64) {
		m, err := io.Copy(hash, io.LimitReader(f, limit))
		if err != nil {
			die("%v", err)
		}
		n += m
	}
	read(3200)
	switch mode {
	case "dies":
		os.Exit(3)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "dies-after-text":
		emit("partial", t.ID, map[string]any{"committed": "open the file", "draft": "and"})
		read(1 << 40)
		os.Exit(3)
	case "dies-after-segments":
		emit("segment", t.ID, map[string]any{"text": "Open the file."})
		emit("segment", t.ID, map[string]any{"text": "Close it."})
		read(1 << 40)
		os.Exit(3)
	case "stops-reading":
		forever()
	case "closes-samples":
		f.Close()
		forever()
	case "closes-output":
		os.Stdout.Close()
		forever()
	case "floods-bytes":
		b := strings.Repeat("x", 1<<19)
		for {
			emit("partial", t.ID, map[string]any{"draft": b})
		}
	case "early":
		final(t.ID, "only the beginning")
		return
	case "partials":
		emit("partial", t.ID, map[string]any{"draft": "open\n\u202e"})
		emit("unheard_of", t.ID, nil)
		emit("partial", t.ID, map[string]any{"committed": "open", "draft": "the file"})
	}
	read(1 << 40)
	switch mode {
	case "no-final":
		forever()
	case "empty-final":
		emit("partial", t.ID, map[string]any{"committed": "open the file"})
		final(t.ID, "")
	case "echo":
		final(t.ID, strings.Join(t.Hints, ", "))
	case "slow":
		time.Sleep(50 * time.Millisecond)
		final(t.ID, "slow")
	case "says":
		final(t.ID, *model)
	default:
		final(t.ID, fmt.Sprintf("pid %d bytes %d sha %x %s %d %d hints %s language %s", os.Getpid(), n, hash.Sum(nil)[:4],
			t.Audio.Format, t.Audio.Rate, t.Audio.Channels, strings.Join(t.Hints, "+"), t.Language))
	}
	emit("stats", t.ID, nil)
	if mode == "dies-after-final" {
		os.Exit(0)
	}
}
