package asr

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/wire"
)

// residentASR is a vi-asr --takes that a test speaks with.
type residentASR struct {
	*sandbox
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *wire.Reader
	stderr bytes.Buffer
}

func startResident(t *testing.T, args ...string) *residentASR {
	t.Helper()
	r := &residentASR{sandbox: newSandbox(t)}
	r.cmd = r.command(append(args, "--takes")...)
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.in, r.out = in, wire.NewReader(bufio.NewReader(out))
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill(); r.cmd.Wait() })
	return r
}

// send asks for a take.
func (r *residentASR) send(take wire.Take) {
	r.t.Helper()
	if take.Audio.Format == "" {
		take.Audio.Format, take.Audio.Rate, take.Audio.Channels = "s16le", 16000, 1
	}
	if err := wire.Write(r.in, &take); err != nil {
		r.t.Fatal(err)
	}
}

// answer returns the final or error event of a take.
func (r *residentASR) answer(id string) *wire.ASR {
	r.t.Helper()
	var end *wire.ASR
	for {
		line, err := r.out.Next()
		if err != nil {
			r.t.Fatalf("take %s: %v: %s", id, err, r.stderr.String())
		}
		ev := &wire.ASR{}
		if err := wire.Decode(line, ev); err != nil {
			r.t.Fatal(err)
		}
		if ev.Take != id {
			r.t.Fatalf("event of take %q, want %q", ev.Take, id)
		}
		switch ev.Type {
		case wire.ASRFinal, wire.ASRError:
			end = ev
		case wire.ASRStats:
			return end
		}
	}
}

// quit ends the standard input and returns the status.
func (r *residentASR) quit() int {
	r.in.Close()
	io.Copy(io.Discard, readerOf(r.out))
	r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode()
}

// readerOf drains lines.
func readerOf(r *wire.Reader) io.Reader { return lines{r} }

type lines struct{ r *wire.Reader }

func (l lines) Read(p []byte) (int, error) {
	b, err := l.r.Next()
	return copy(p, b), err
}

func (s *sandbox) fifo(name string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *sandbox) file(name string, b []byte) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// feed writes to a FIFO once somebody reads it.
func feed(path string, b []byte) {
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for ; len(b) > 0; b = b[min(999, len(b)):] {
			if _, err := f.Write(b[:min(999, len(b))]); err != nil {
				return
			}
		}
	}()
}

func TestTakes(t *testing.T) {
	t.Parallel()
	said := spoken(t)
	r := startResident(t, "--engine", "count", "--language", "de")
	pids := map[string]bool{}
	check := func(id, want string) {
		t.Helper()
		ev := r.answer(id)
		pid, text, _ := strings.Cut(strings.TrimPrefix(ev.Text, "pid "), " ")
		if ev.Outcome != wire.OutcomeUsable || text != want {
			t.Errorf("take %s: %+v, want %q", id, ev, want)
		}
		pids[pid] = true
	}

	// Through FIFOs, the terms after the samples have begun.
	audio, terms := r.fifo("a1"), r.fifo("t1")
	r.send(wire.Take{ID: "one", Audio: wire.Audio{Path: audio}, TermsPath: terms, Language: "en"})
	feed(audio, said)
	feed(terms, []byte(threeTerms))
	check("one", counted(said)+"hints alpha+beta+gamma language en")

	// From files, with hints in the request; two at once wait for each other.
	file := r.file("a2", said[:len(said)/4*2])
	r.send(wire.Take{ID: "two", Audio: wire.Audio{Path: file}, Hints: []string{"x", "y z"}})
	r.send(wire.Take{ID: "three", Audio: wire.Audio{Path: r.file("a3", said)}, TermsPath: r.file("t3", nil)})
	check("two", counted(said[:len(said)/4*2])+"hints x+y z language de")
	check("three", counted(said)+"hints language de")

	// Bad lines and takes that cannot be done cost nothing but themselves.
	io.WriteString(r.in, "nonsense\n")
	r.send(wire.Take{Audio: wire.Audio{Path: file}})
	r.send(wire.Take{ID: "x", Audio: wire.Audio{Path: file, Format: "mp3"}})
	r.send(wire.Take{ID: "no file", Audio: wire.Audio{Path: filepath.Join(r.dir, "absent")}})
	if ev := r.answer("no file"); ev.Type != wire.ASRError || ev.Kind != "audio" || ev.Code != "unreadable" {
		t.Errorf("no file: %+v", ev)
	}
	r.send(wire.Take{ID: "no terms", Audio: wire.Audio{Path: file}, TermsPath: filepath.Join(r.dir, "absent")})
	check("no terms", counted(said[:len(said)/4*2])+"hints language de")
	r.send(wire.Take{ID: "empty", Audio: wire.Audio{Path: r.file("a4", nil)}})
	if ev := r.answer("empty"); ev.Outcome != wire.OutcomeEmpty || ev.Reason != "no_audio" {
		t.Errorf("empty: %+v", ev)
	}
	gone := r.fifo("a5")
	r.send(wire.Take{ID: "writer without a word", Audio: wire.Audio{Path: gone}})
	feed(gone, nil)
	if ev := r.answer("writer without a word"); ev.Reason != "no_audio" {
		t.Errorf("empty FIFO: %+v", ev)
	}

	if status := r.quit(); status != 65 {
		t.Errorf("status %d, want 65 for the bad lines", status)
	}
	if len(pids) != 1 {
		t.Errorf("the engine was started again: %v", pids)
	}
	for _, want := range []string{
		"vi-asr: error: line 4: cannot read vi.take/1 record: not JSON",
		"vi-asr: error: line 5: cannot do take: id must have",
		"vi-asr: error: line 6: cannot do take: audio.format must be",
		"vi-asr: warning: take failed: cannot read audio: open ",
		"vi-asr: warning: goes on without terms: open ",
	} {
		if !strings.Contains(r.stderr.String(), want) {
			t.Errorf("standard error misses %q:\n%s", want, r.stderr.String())
		}
	}
}

// A FIFO of terms that never comes holds up a take, but not for ever.
func TestTermsThatNeverCome(t *testing.T) {
	t.Parallel()
	r := startResident(t, "--engine", "count")
	r.send(wire.Take{ID: "1", Audio: wire.Audio{Path: r.file("a", spoken(t))}, TermsPath: r.fifo("t")})
	if ev := r.answer("1"); ev.Outcome != wire.OutcomeUsable || !strings.Contains(ev.Text, counted(spoken(t))+"hints language") {
		t.Errorf("%+v", ev)
	}
	if status := r.quit(); status != 0 || !strings.Contains(r.stderr.String(), "goes on without terms: no terms within 5s") {
		t.Errorf("status %d: %s", status, r.stderr.String())
	}
}

func TestResidentWithoutATake(t *testing.T) {
	t.Parallel()
	if r := startResident(t, "--engine", "count"); r.quit() != 0 {
		t.Errorf("status %d: %s", r.cmd.ProcessState.ExitCode(), r.stderr.String())
	}
}

// An engine that dies takes one take with it; the text that was settled is
// kept, and the next take has a new engine.
func TestEngineIsRestarted(t *testing.T) {
	t.Parallel()
	r := startResident(t, "--engine", "dies-after-text")
	file := r.file("a", spoken(t))
	for i := range 3 {
		id := fmt.Sprint(i)
		r.send(wire.Take{ID: id, Audio: wire.Audio{Path: file}})
		if ev := r.answer(id); ev.Outcome != wire.OutcomeDegraded || ev.Text != "open the file" || ev.Kind != "crashed" {
			t.Errorf("%+v", ev)
		}
	}
	if status := r.quit(); status != 0 {
		t.Errorf("status %d", status)
	}
}

// An engine that fails while the user still speaks does not keep the writer
// of the samples waiting.
func TestWriterIsLetGo(t *testing.T) {
	t.Parallel()
	r := startResident(t, "--engine", "dies")
	path := r.fifo("a")
	r.send(wire.Take{ID: "1", Audio: wire.Audio{Path: path}})
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err = f.Write(make([]byte, 4096)); err != nil {
			break
		}
	}
	if pathErr := err.(*os.PathError); pathErr.Err != syscall.EPIPE {
		t.Errorf("got %v", err)
	}
	if ev := r.answer("1"); ev.Kind != "crashed" {
		t.Errorf("%+v", ev)
	}
	if status := r.quit(); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestResidentTerm(t *testing.T) {
	t.Parallel()
	r := startResident(t, "--engine", "ignores-term")
	r.send(wire.Take{ID: "1", Audio: wire.Audio{Path: r.file("a", spoken(t))}})
	r.answer("1")
	r.cmd.Process.Signal(syscall.SIGTERM) // while it waits for a line
	r.cmd.Wait()
	if got := r.cmd.ProcessState.ExitCode(); got != 143 {
		t.Errorf("status %d: %s", got, r.stderr.String())
	}
}

func FuzzTakeCheck(f *testing.F) {
	f.Add([]byte(`{"schema":"vi.take/1","reason":"ok","id":"1","audio":{"path":"/a","format":"s16le","rate":16000,"channels":1}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var take wire.Take
		if wire.Decode(line, &take) != nil || check(&take) != nil {
			return
		}
		if take.ID == "" || take.Audio.Path == "" || len(take.ID) > maxID {
			b, _ := json.Marshal(take)
			t.Fatalf("accepted %s", b)
		}
	})
}
