// Package engines_test runs the engine programs of share/engines for real, on
// speech that flite synthesises and on recordings of people.
package engines_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

// patience is how long any event may take on a busy machine.
const patience = 2 * time.Minute

// need ends the test if a program is absent: as a failure, unless the person
// who runs the tests allows them to be skipped.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			absent(t, "program "+p)
		}
	}
}

func absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
		t.Skipf("%s is not here", what)
	}
	t.Fatalf("%s is not here (VI_TEST_ALLOW_SKIP=1 skips the test)", what)
}

func enginePath(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../share/engines/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// engine is a running engine program.
type engine struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	events chan wire.ASR
	stderr bytes.Buffer
	ready  wire.ASR
}

// start runs a program and waits until it is ready.
func start(t testing.TB, env []string, argv ...string) *engine {
	t.Helper()
	e := &engine{t: t, cmd: exec.Command(argv[0], argv[1:]...), events: make(chan wire.ASR, 1024)}
	e.cmd.Env = append(os.Environ(), env...)
	e.cmd.Stderr = &e.stderr
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL) })
	go func() {
		defer close(e.events)
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, wire.MaxLine)
		for lines.Scan() {
			var event wire.ASR
			if err := wire.Decode(lines.Bytes(), &event); err != nil {
				t.Errorf("the engine wrote something else than an event: %v", err)
				continue
			}
			e.events <- event
		}
	}()
	if e.ready = e.next(); e.ready.Type != wire.ASRReady {
		t.Fatalf("first event is %q, want ready; stderr: %s", e.ready.Type, &e.stderr)
	}
	return e
}

// next returns the next event.
func (e *engine) next() wire.ASR {
	e.t.Helper()
	select {
	case event, open := <-e.events:
		if !open {
			e.cmd.Wait()
			e.t.Fatalf("the engine ended: %v; stderr: %s", e.cmd.ProcessState, &e.stderr)
		}
		return event
	case <-time.After(patience):
		e.t.Fatalf("no event for %s; stderr: %s", patience, &e.stderr)
	}
	panic("unreachable")
}

// send writes a line to the engine.
func (e *engine) send(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.stdin, line+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// result returns the event that ends a take, and how many partials came before.
func (e *engine) result() (event wire.ASR, partials int) {
	e.t.Helper()
	for {
		event = e.next()
		switch event.Type {
		case wire.ASRPartial:
			partials++
		case wire.ASRFinal, wire.ASRError:
			return event, partials
		default:
			e.t.Fatalf("event %q inside a take", event.Type)
		}
	}
}

// take is a request for audio at path.
func take(path, language string, hints ...string) string {
	line, err := wire.Encode(&wire.Take{
		ID: "t1", Audio: wire.Audio{Path: path, Format: "s16le", Rate: 16000, Channels: 1}, Language: language, Hints: hints,
	})
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(line))
}

// text recognises samples and returns what was heard, "" for nothing.
func (e *engine) text(pcm []byte, hints ...string) string {
	e.t.Helper()
	e.send(take(file(e.t, pcm), "en", hints...))
	event, _ := e.result()
	if event.Type != wire.ASRFinal || event.Take != "t1" || event.Engine != e.ready.Engine {
		e.t.Fatalf("take ended with %+v", event)
	}
	if want := event.Text == ""; want != (event.Outcome == wire.OutcomeEmpty) || want != (event.Reason == "no_speech") {
		e.t.Errorf("final with %d characters has outcome %q and reason %q", len(event.Text), event.Outcome, event.Reason)
	}
	return event.Text
}

// end closes standard input and checks that the engine ends well, silent.
func (e *engine) end() {
	e.t.Helper()
	e.stdin.Close()
	for event := range e.events {
		e.t.Errorf("event %q after the end", event.Type)
	}
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("engine: %v", err)
	}
	if e.stderr.Len() > 0 {
		e.t.Errorf("stderr: %s", &e.stderr)
	}
}

// file puts samples into a file.
func file(t testing.TB, pcm []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audio")
	if err := os.WriteFile(path, pcm, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fifo makes a FIFO. Its writer is opened by the function, which waits for the
// reader.
func fifo(t testing.TB) (path string, open func() *os.File) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audio")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() *os.File {
		t.Helper()
		opened := make(chan *os.File, 1)
		go func() {
			f, _ := os.OpenFile(path, os.O_WRONLY, 0)
			opened <- f
		}()
		select {
		case f := <-opened:
			if f == nil {
				t.Fatal("cannot open the FIFO")
			}
			return f
		case <-time.After(patience):
			t.Fatal("nobody reads the FIFO")
		}
		panic("unreachable")
	}
}

// say returns a text as flite speaks it, between stretches of silence.
func say(t testing.TB, voice, text string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "said.wav")
	if out, err := exec.Command("flite", "-voice", voice, "-t", text, "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("flite: %v: %s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("data"))
	if at < 0 || binary.LittleEndian.Uint32(b[24:]) != 16000 {
		t.Fatalf("flite wrote no WAV of 16 kHz")
	}
	return append(append(silence(300), b[at+8:]...), silence(300)...)
}

// silence returns so many milliseconds of zeros.
func silence(ms int) []byte { return make([]byte, 32*ms) }

// human returns a recording of Debian's pocketsphinx-testdata.
func human(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("/usr/share/pocketsphinx/test/data/" + name)
	if err != nil {
		absent(t, "package pocketsphinx-testdata")
	}
	return b
}

// python evaluates an expression with the modules of share/engines and
// decodes its value, which must be JSON, into v.
func python(t *testing.T, module, expression string, v any) {
	t.Helper()
	need(t, "python3")
	const program = `import importlib.machinery, importlib.util, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.SourceFileLoader("m", sys.argv[1] + "/" + sys.argv[2])
m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", loader))
loader.exec_module(m)
print(json.dumps(eval(sys.argv[3])))`
	cmd := exec.Command("python3", "-c", program, enginePath(t, ""), module, expression)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	if err := json.Unmarshal(out, v); err != nil {
		t.Fatalf("%s: %v in %s", expression, err, out)
	}
}

// check runs "ENGINE --check" and returns its status and standard error.
func check(t *testing.T, env []string, argv ...string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], append(argv[1:], "--check")...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &stdout, &stderr
	cmd.Run()
	if stdout.Len() > 0 {
		t.Errorf("--check wrote to standard output: %s", &stdout)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// gone waits until no process of that id is left but a zombie.
func gone(t *testing.T, pid int, what string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if !running(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s still runs", what)
}

func running(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	// The state stands behind the name, which may hold anything but ")".
	rest := b[bytes.LastIndexByte(b, ')')+1:]
	return !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("Z"))
}
