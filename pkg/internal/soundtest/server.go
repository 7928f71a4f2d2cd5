package soundtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/child"
)

// Limit bounds every wait for a server. The slowest takes half a second; a
// loaded machine may need much more.
const Limit = 2 * time.Minute

// Server is a running sound server.
type Server struct {
	// RuntimeDir is its XDG_RUNTIME_DIR.
	RuntimeDir string
	// Home is its home directory, and should be that of its clients.
	Home string

	t       testing.TB
	clients *child.Process   // the process that clients talk to
	core    *child.Process   // the one that moves the samples
	all     []*child.Process // in the order of their start
}

// newServer makes the directories. They are not in t.TempDir, whose path may
// be too long for a socket.
func newServer(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "vi-sound-")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, RuntimeDir: filepath.Join(dir, "run"), Home: filepath.Join(dir, "home")}
	t.Cleanup(func() {
		for _, p := range s.all {
			p.Kill()
		}
		for _, p := range s.all {
			<-p.Done()
		}
		if t.Failed() {
			s.showLogs()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("cannot clean up: %v", err)
		}
	})
	// A client and pipewire-pulse both make the last one if it is missing, and
	// the slower of the two gives up.
	for _, d := range []string{s.RuntimeDir, s.Home, filepath.Dir(s.Socket())} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A client of libpulse that finds no server must not start one.
	if err := os.WriteFile(s.clientConfig(), []byte("autospawn = no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Server) clientConfig() string { return filepath.Join(s.Home, "client.conf") }

// showLogs prints the end of what each program of the server said.
func (s *Server) showLogs() {
	logs, _ := filepath.Glob(filepath.Join(s.Home, "*.log"))
	for _, path := range logs {
		const tail = 2000
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
			s.t.Logf("%s:\n%s", filepath.Base(path), text[max(0, len(text)-tail):])
		}
	}
}

// require fails or skips the test if a program is absent.
func require(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("VI_TEST_ALLOW_SKIP") == "1" {
			t.Skipf("no program %q", name)
		}
		t.Fatalf("no program %q; VI_TEST_ALLOW_SKIP=1 skips this test", name)
	}
}

// Env returns the whole environment for a client of the server.
func (s *Server) Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home, "XDG_RUNTIME_DIR=" + s.RuntimeDir, "LC_ALL=C",
		"PULSE_CLIENTCONFIG=" + s.clientConfig(),
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + s.bus(),
	}
}

func (s *Server) bus() string { return filepath.Join(s.RuntimeDir, "bus") }

// Getenv looks a variable up in Env.
func (s *Server) Getenv(name string) string {
	for _, entry := range s.Env() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Socket is the path of the socket that clients connect to.
func (s *Server) Socket() string { return filepath.Join(s.RuntimeDir, "pulse/native") }

// start runs one of the server's programs. It lives until the cleanup, longer
// than the context of the test.
func (s *Server) start(argv ...string) *child.Process {
	s.t.Helper()
	log, err := os.Create(filepath.Join(s.Home, argv[0]+".log"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	p, err := child.Start(context.Background(), child.Spec{Argv: argv, Env: s.Env(), Stdout: log, Stderr: log})
	if err != nil {
		s.t.Fatal(err)
	}
	s.all = append(s.all, p)
	return p
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	s.clients.Kill()
	<-s.clients.Done()
}

// KillCore ends the pipewire behind pipewire-pulse; on PulseAudio it is Kill.
func (s *Server) KillCore() {
	s.core.Kill()
	<-s.core.Done()
}

// Stop freezes the server until Continue.
func (s *Server) Stop() { s.clients.Signal(syscall.SIGSTOP) }

// Continue lets a stopped server go on.
func (s *Server) Continue() { s.clients.Signal(syscall.SIGCONT) }

// TryPactl runs pactl and returns what it printed.
func (s *Server) TryPactl(args ...string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	var out bytes.Buffer
	err := child.Run(ctx, child.Spec{Argv: append([]string{"pactl"}, args...), Env: s.Env(), Stdout: &out, Stderr: &out})
	return strings.TrimSpace(out.String()), err
}

// Pactl is TryPactl for what must succeed.
func (s *Server) Pactl(args ...string) string {
	s.t.Helper()
	out, err := s.TryPactl(args...)
	if err != nil {
		s.t.Fatalf("pactl %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// Load loads a module and returns its index.
func (s *Server) Load(module string, args ...string) string {
	s.t.Helper()
	return s.Pactl(append([]string{"load-module", module}, args...)...)
}

// Unload unloads the module that made a source, which goes with it.
func (s *Server) Unload(source string) {
	s.t.Helper()
	for line := range strings.Lines(s.Pactl("list", "short", "modules")) {
		if strings.Contains(line, "source_name="+source+" ") || strings.HasSuffix(strings.TrimSpace(line), "source_name="+source) {
			index, _, _ := strings.Cut(line, "\t")
			s.Pactl("unload-module", index)
			return
		}
	}
	s.t.Fatalf("no module made the source %q", source)
}

// Suspend suspends a source or wakes it.
func (s *Server) Suspend(source string, suspended bool) {
	s.t.Helper()
	s.Pactl("suspend-source", source, flag(suspended))
}

// Mute mutes a source or lets it be heard.
func (s *Server) Mute(source string, muted bool) {
	s.t.Helper()
	s.Pactl("set-source-mute", source, flag(muted))
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Recording is a stream that records.
type Recording struct {
	Index  string // for pactl
	Source string // index of what it records
}

// Recordings returns the streams that record, those of the server's own
// modules left out.
func (s *Server) Recordings() []Recording {
	s.t.Helper()
	var out []Recording
	for line := range strings.Lines(s.Pactl("list", "short", "source-outputs")) {
		// index, source, client ("-" for a module), driver, sample format
		if f := strings.Split(line, "\t"); len(f) > 2 && f[2] != "-" {
			out = append(out, Recording{Index: f[0], Source: f[1]})
		}
	}
	return out
}

// KillRecording ends a stream on the server's side.
func (s *Server) KillRecording(r Recording) {
	s.t.Helper()
	index, err := strconv.ParseUint(r.Index, 10, 32)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := killSourceOutput(s.Socket(), uint32(index)); err != nil {
		s.t.Fatalf("cannot kill stream %s: %v", r.Index, err)
	}
}

// WaitRecordings waits until n streams record.
func (s *Server) WaitRecordings(n int) {
	s.t.Helper()
	s.WaitFor("recordings", func() bool { return len(s.Recordings()) == n })
}

// WaitFor waits for a condition, at most Limit.
func (s *Server) WaitFor(what string, met func() bool) {
	s.t.Helper()
	WaitFor(s.t, what, met)
}

// WaitFor waits for a condition, at most Limit.
func WaitFor(t testing.TB, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %s for %s", Limit, what)
		}
	}
}
