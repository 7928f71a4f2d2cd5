package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// program is the real vi-capture, built once.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-capture-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Another user must be able to run it, see TestOtherUser.
	os.Chmod(dir, 0o755)
	program = filepath.Join(dir, "vi-capture")
	args := append([]string{"build", "-o", program}, buildFlags...)
	if out, err := exec.Command("go", append(args, "voice-input/cmd/vi-capture")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build vi-capture: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// running is a vi-capture at work.
type running struct {
	*child.Process
	t                      testing.TB
	stdout, stderr, events *buffer
}

// setup changes how a vi-capture is started.
type setup func(*child.Spec)

// record starts vi-capture with events. What it writes is collected.
func record(t testing.TB, env []string, args []string, setups ...setup) *running {
	t.Helper()
	r := &running{t: t, stdout: &buffer{}, stderr: &buffer{}, events: &buffer{}}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	spec := child.Spec{
		Argv: append([]string{program, "--events-fd", "3"}, args...), Env: slices.Concat(buildEnv, env),
		Stdout: r.stdout, Stderr: r.stderr, Extra: []*os.File{out},
	}
	for _, f := range setups {
		f(&spec)
	}
	r.Process, err = child.Start(t.Context(), spec)
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer in.Close()
		r.events.ReadFrom(in)
	}()
	t.Cleanup(func() {
		r.Kill()
		<-r.Done()
		<-read
	})
	return r
}

// end waits for the program's end and checks its status.
func (r *running) end(status int) {
	r.t.Helper()
	select {
	case <-r.Done():
	case <-time.After(soundtest.Limit):
		r.t.Fatalf("vi-capture does not end; stderr %q, events %s", r.stderr, r.events)
	}
	if got := code(r.Wait()); got != status {
		r.t.Fatalf("status %d, want %d; stderr %q", got, status, r.stderr)
	}
}

func code(err error) int {
	var exit *child.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code()
	default:
		return -1
	}
}

// waitEvent waits for an event of a type.
func (r *running) waitEvent(kind string) wire.Capture {
	r.t.Helper()
	var found wire.Capture
	soundtest.WaitFor(r.t, "event "+kind, func() bool {
		for _, e := range r.allEvents() {
			if e.Type == kind {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// allEvents returns the events so far.
func (r *running) allEvents() []wire.Capture {
	r.t.Helper()
	var list []wire.Capture
	for line := range strings.Lines(r.events.String()) {
		var e wire.Capture
		if !strings.HasSuffix(line, "\n") {
			break
		}
		if err := wire.Decode([]byte(line), &e); err != nil {
			r.t.Fatalf("%v in %q", err, line)
		}
		list = append(list, e)
	}
	return list
}

// wantEnd checks the last event, and the types of those before it that are
// no levels.
func (r *running) wantEnd(reason string, samples int64, before ...string) {
	r.t.Helper()
	end := r.waitEvent(wire.CaptureEnd)
	if end.Reason != reason || samples >= 0 && end.Samples != samples {
		r.t.Errorf("end event: reason %q, %d samples; want %q, %d", end.Reason, end.Samples, reason, samples)
	}
	var types []string
	for _, e := range r.allEvents() {
		if e.Type != wire.CaptureLevel {
			types = append(types, e.Type)
		}
	}
	if want := append(before, wire.CaptureEnd); !slices.Equal(types, want) {
		r.t.Errorf("events %v, want %v", types, want)
	}
	if n := int64(r.stdout.Len() / SampleSize); n != end.Samples && samples >= 0 {
		r.t.Errorf("%d samples came out, the end event says %d", n, end.Samples)
	}
}

// runToEnd runs the program to its end, without events.
func runToEnd(t testing.TB, env []string, args []string, setups ...setup) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs buffer
	ctx, cancel := context.WithTimeout(t.Context(), soundtest.Limit)
	defer cancel()
	spec := child.Spec{Argv: append([]string{program}, args...), Env: slices.Concat(buildEnv, env), Stdout: &out, Stderr: &errs}
	for _, f := range setups {
		f(&spec)
	}
	return code(child.Run(ctx, spec)), out.String(), errs.String()
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) ReadFrom(f *os.File) {
	p := make([]byte, 4096)
	for {
		n, err := f.Read(p)
		b.Write(p[:n])
		if err != nil {
			return
		}
	}
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *buffer) Len() int { return len(b.String()) }

// ramp returns n samples of which each differs from its neighbours, so that
// a hole or a repetition shows.
func ramp(n int) []byte {
	b := make([]byte, 0, n*SampleSize)
	for i := range n {
		b = binary.LittleEndian.AppendUint16(b, uint16(i))
	}
	return b
}

// checkRamp fails the test unless got is the beginning of the ramp.
func checkRamp(t testing.TB, got string, samples int) {
	t.Helper()
	want := ramp(samples)
	if got == string(want) {
		return
	}
	for i := 0; i+1 < min(len(got), len(want)); i += 2 {
		if got[i:i+2] != string(want[i:i+2]) {
			t.Fatalf("%d samples, want %d; sample %d is %d", len(got)/2, samples, i/2, binary.LittleEndian.Uint16([]byte(got[i:i+2])))
		}
	}
	t.Fatalf("%d bytes, want %d; the common part is equal", len(got), len(want))
}

func interrupt(p *child.Process) { p.Signal(syscall.SIGINT) }
