package session

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/internal/proc"
	"voice-input/pkg/wire"
)

// asAgent makes the test program play an agent: a process that keeps files
// open, as told on its standard input, until that ends.
const asAgent = "VI_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		playAgent()
		return
	}
	os.Exit(m.Run())
}

func playAgent() {
	open := map[string]io.Closer{}
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		verb, arg, _ := strings.Cut(lines.Text(), " ")
		var c io.Closer
		var err error
		switch verb {
		case "open":
			c, err = os.Open(arg)
		case "listen":
			c, err = net.Listen("unix", arg)
		case "accept":
			c, err = open[arg].(net.Listener).Accept()
		case "dial":
			c, err = net.Dial("unix", arg)
		case "close":
			err = open[arg].Close()
		}
		if c != nil {
			open[arg+fmt.Sprint(len(open))] = c
			if verb != "accept" {
				open[arg] = c
			}
		}
		if err != nil {
			fmt.Println("failed", err)
			continue
		}
		fmt.Println("done")
	}
}

// agent is a real process that plays an agent.
type agent struct {
	t     *testing.T
	kind  string
	pid   int
	ticks uint64
	in    io.WriteCloser
	out   *bufio.Reader
	cmd   *exec.Cmd
}

// lab is a home with agents in it.
type lab struct {
	t                  *testing.T
	dir, home, project string
	runtime            string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home", "project"), runtime: filepath.Join(dir, "run")}
	for _, d := range []string{l.project, filepath.Join(l.runtime, "agent-sessions"), filepath.Join(l.home, ".codex", "sessions")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// program puts the test program under a name of its own.
func (l *lab) program(name string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, "bin", name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if os.Link(self, path) == nil {
		return path
	}
	b, err := os.ReadFile(self)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// start runs an agent whose executable has a name, which may be a path. The
// options change the command before it starts.
func (l *lab) start(kind, name string, options ...func(*exec.Cmd)) *agent {
	l.t.Helper()
	cmd := exec.Command(l.program(name))
	cmd.Dir = l.project
	// Without the last one each agent takes a second to end under -race.
	cmd.Env = []string{asAgent + "=1", "HOME=" + l.home, "SECRET=environment-sentinel", "GORACE=atexit_sleep_ms=0"}
	for _, o := range options {
		o(cmd)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	a := &agent{t: l.t, kind: kind, pid: cmd.Process.Pid, in: in, out: bufio.NewReader(out), cmd: cmd}
	l.t.Cleanup(a.stop)
	a.expect("ready")
	stat, err := proc.Root.Stat(a.pid)
	if err != nil {
		l.t.Fatal(err)
	}
	a.ticks = stat.StartTicks
	return a
}

func withEnv(env ...string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(c.Env, env...) }
}

func withArgs(args ...string) func(*exec.Cmd) { return func(c *exec.Cmd) { c.Args = args } }

func in(dir string) func(*exec.Cmd) { return func(c *exec.Cmd) { c.Dir = dir } }

func (a *agent) expect(want string) {
	a.t.Helper()
	if line, err := a.out.ReadString('\n'); err != nil || strings.TrimSpace(line) != want {
		a.t.Fatalf("the agent said %q, %v; want %q", line, err, want)
	}
}

func (a *agent) do(verb, arg string) {
	a.t.Helper()
	fmt.Fprintln(a.in, verb, arg)
	a.expect("done")
}

func (a *agent) stop() {
	a.in.Close()
	a.cmd.Wait()
}

func (a *agent) focus() *wire.Focus {
	return &wire.Focus{Header: wire.Header{Reason: wire.OK}, Agent: &wire.Agent{Kind: a.kind, PID: a.pid, StartTicks: a.ticks}}
}

// finder looks as the program does.
func (l *lab) finder() *Finder {
	return &Finder{Proc: proc.Root, UID: os.Getuid(), RuntimeDir: l.runtime}
}

func (l *lab) find(f *wire.Focus) *wire.Session {
	return l.finder().Find(l.t.Context(), f)
}
