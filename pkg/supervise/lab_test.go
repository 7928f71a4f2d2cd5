package supervise

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// programs is where the built programs lie, with share/ beside it.
var programs string

// TestMain lets many tests run at once: what they do is wait.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8")
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vi-supervise-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs = filepath.Join(dir, "bin")
	// Where core files are not wanted anyway, nothing would show who keeps
	// them from being written.
	var cores unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &cores) == nil {
		cores.Cur = cores.Max
		unix.Setrlimit(unix.RLIMIT_CORE, &cores)
	}
	share, _ := filepath.Abs("../../share")
	build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", programs+"/", "../../cmd/...")...)
	build.Stderr = os.Stderr
	if err := errors.Join(build.Run(), os.Symlink(share, filepath.Join(dir, "share"))); err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the programs:", err)
		return 1
	}
	return m.Run()
}

// lab is a real daemon at a real sound server.
type lab struct {
	t      testing.TB
	server *soundtest.Server
	config string // path
	out    string // path: what the daemon delivers to its standard output
	log    string // path: its standard error
	daemon *exec.Cmd
	extra  []string // of the environment
}

// local recognises by the one engine that every machine of ours has.
const local = "[asr]\nengine = \"pocketsphinx\"\n[deliver]\nto = \"stdout\"\n"

func newLab(t testing.TB, server *soundtest.Server, config string) *lab {
	t.Helper()
	return newLabWith(t, server, config, nil)
}

// newLabWith is newLab with more in the environment.
func newLabWith(t testing.TB, server *soundtest.Server, config string, extra []string) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{t: t, server: server, config: filepath.Join(dir, "config.toml"), out: filepath.Join(dir, "out"), log: filepath.Join(dir, "log"), extra: extra}
	l.configure(config)
	l.start()
	t.Cleanup(func() {
		l.kill()
		if t.Failed() {
			log, _ := os.ReadFile(l.log)
			t.Logf("the daemon's log:\n%s", log)
		}
	})
	return l
}

func (l *lab) configure(config string) {
	if err := os.WriteFile(l.config, []byte(config), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// env is that of every program. With the race detector each would sleep for a
// second at its end, which is all that a look-up has.
func (l *lab) env() []string {
	return append(append(l.server.Env(), "GORACE=exitcode=99 atexit_sleep_ms=0"), l.extra...)
}

// start starts the daemon and waits until it answers.
func (l *lab) start() {
	l.t.Helper()
	out, err := os.OpenFile(l.out, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		l.t.Fatal(err)
	}
	defer out.Close()
	log, err := os.OpenFile(l.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		l.t.Fatal(err)
	}
	defer log.Close()
	l.daemon = exec.Command(filepath.Join(programs, "voice-input"), "daemon", "--config", l.config)
	l.daemon.Env, l.daemon.Stdout, l.daemon.Stderr = l.env(), out, log
	l.daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.daemon.Start(); err != nil {
		l.t.Fatal(err)
	}
	soundtest.WaitFor(l.t, "the daemon", func() bool { return l.status().Phase == string(Idle) })
}

// kill ends the daemon as kill -9 does.
func (l *lab) kill() {
	l.daemon.Process.Kill()
	l.daemon.Wait()
}

// run runs voice-input and returns its status and output.
func (l *lab) run(args ...string) (int, string) {
	var out, errs bytes.Buffer
	err := child.Run(l.t.Context(), child.Spec{Argv: append([]string{filepath.Join(programs, "voice-input")}, args...), Env: l.env(), Stdout: &out, Stderr: &errs})
	var exit *child.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.Code(), out.String() + errs.String()
	case err != nil:
		l.t.Fatalf("voice-input %v: %v", args, err)
	}
	return 0, out.String()
}

// record sends a command that must end with a status.
func (l *lab) record(want int, args ...string) string {
	l.t.Helper()
	got, out := l.run(append([]string{"record"}, args...)...)
	if got != want {
		l.t.Fatalf("record %v: status %d, want %d: %s", args, got, want, out)
	}
	return out
}

// status asks the daemon, as "voice-input status" does; without one the phase
// is "stopped".
func (l *lab) status() wire.Status {
	s := wire.Status{Phase: stopped}
	call(l.t.Context(), filepath.Join(l.server.RuntimeDir, "voice-input"), &wire.Control{Command: "status", Extended: true}, func(line []byte) error {
		return wire.Decode(line, &s)
	})
	return s
}

func (l *lab) await(phase Phase) {
	l.t.Helper()
	l.server.WaitFor("phase "+string(phase), func() bool { return l.status().Phase == string(phase) })
}

// delivered is the text that the daemon wrote so far.
func (l *lab) delivered() string {
	b, _ := os.ReadFile(l.out)
	return string(b)
}

// children lists the ids of processes that the daemon started and whose
// command line holds word.
func (l *lab) children(word string) []int {
	var pids []int
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		cmdline, _ := os.ReadFile(path)
		if !bytes.Contains(cmdline, []byte(word)) || bytes.Contains(cmdline, []byte("voice-input\x00")) {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if bytes.Contains(environ, []byte("XDG_RUNTIME_DIR="+l.server.RuntimeDir+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill9 kills every process of the daemon's whose command line holds word.
func (l *lab) kill9(word string) { l.t.Helper(); l.signal(word, syscall.SIGKILL) }

// signal sends a signal to the same processes.
func (l *lab) signal(word string, s syscall.Signal) {
	l.t.Helper()
	l.server.WaitFor("a process of "+word, func() bool { return len(l.children(word)) > 0 })
	for _, pid := range l.children(word) {
		syscall.Kill(pid, s)
	}
}

// quiet waits until nothing records and no stage but the resident recogniser
// runs.
func (l *lab) quiet() {
	l.t.Helper()
	for _, name := range []string{"vi-capture", "vi-refine", "vi-type"} {
		l.server.WaitFor("the end of "+name, func() bool { return len(l.children(name)) == 0 })
	}
}

// nothingRuns waits until no process of a stage is left, after the daemon.
func (l *lab) nothingRuns() {
	l.t.Helper()
	l.quiet()
	for _, name := range []string{"vi-asr", "engines/"} {
		l.server.WaitFor("the end of "+name, func() bool { return len(l.children(name)) == 0 })
	}
}

// spooled lists the takes in the spool.
func (l *lab) spooled() []string {
	files, _ := filepath.Glob(filepath.Join(l.server.RuntimeDir, "voice-input/spool/*"+spoolExt))
	return files
}

// speech is "go forward ten meters".
var speech = sync.OnceValue(func() []byte {
	wav, err := os.ReadFile("../../tests/testdata/speech/goforward.wav")
	if err != nil {
		panic(err)
	}
	return wav[44:]
})

const words = "go forward ten meters"

// say records one take of speech up to just before the stop.
func (l *lab) say(mic *soundtest.Mic) {
	l.t.Helper()
	l.record(0, "toggle")
	// A pipe source wakes with its first samples.
	mic.Speak(speech())
	l.await(Recording)
}
