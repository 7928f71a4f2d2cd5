package soundtest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"voice-input/pkg/internal/child"
)

// names returns the names of the sources, sorted.
func (s *Server) names() []string {
	var out []string
	for line := range strings.Lines(s.Pactl("list", "short", "sources")) {
		out = append(out, strings.Split(line, "\t")[1])
	}
	slices.Sort(out)
	return out
}

func TestServers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start func(testing.TB) *Server
		want  []string
	}{
		{"pulseaudio", Pulse, []string{"mic", "pipemic", "speaker.monitor"}},
		{"pipewire", PipeWire, []string{"mic", "speaker.monitor"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.start(t)
			if got := s.names(); !slices.Equal(got, tt.want) {
				t.Errorf("sources %v, want %v", got, tt.want)
			}
			s.Mute("mic", true)
			if got := s.Pactl("get-source-mute", "mic"); got != "Mute: yes" {
				t.Errorf("%q", got)
			}
			s.Unload("mic")
			s.WaitFor("the source to go", func() bool { return !slices.Contains(s.names(), "mic") })
			s.Kill()
			if out, err := s.TryPactl("info"); err == nil {
				t.Errorf("the server answers after Kill: %s", out)
			}
		})
	}
}

func TestMic(t *testing.T) {
	s := Pulse(t)
	var heard lockedBuffer
	p, err := child.Start(t.Context(), child.Spec{
		Argv: []string{"parec", "-d", "pipemic", "--raw", "--format=s16le", "--rate=16000", "--channels=1", "--latency-msec=10"},
		Env:  s.Env(), Stdout: &heard,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { p.Kill(); <-p.Done() }()
	s.WaitRecordings(1)
	pcm := bytes.Repeat([]byte("abcdefgh"), micRate/10)
	s.Mic().Speak(pcm)
	s.WaitFor("the samples", func() bool { return heard.Len() >= len(pcm)*9/10 })
	if !strings.HasPrefix(string(pcm), heard.String()) {
		t.Error("pipemic hears something else than what was written")
	}
	s.KillRecording(s.Recordings()[0])
	s.WaitRecordings(0)
}

// holdServers makes the test binary a process that starts servers, prints
// their process ids and waits to be killed.
const holdServers = "VI_SOUNDTEST_HOLD"

func TestHold(t *testing.T) {
	if os.Getenv(holdServers) == "" {
		return // it is the other half of TestNothingIsLeft
	}
	var pids []string
	for _, s := range []*Server{Pulse(t), PipeWire(t)} {
		for _, p := range s.all {
			pids = append(pids, strconv.Itoa(p.PID()))
		}
	}
	fmt.Println("pids", strings.Join(pids, " "))
	select {}
}

func TestNothingIsLeft(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := child.Start(t.Context(), child.Spec{
		Argv: []string{os.Args[0], "-test.run=^TestHold$"}, Stdout: in,
		Env: append(os.Environ(), holdServers+"=1", "TMPDIR="+t.TempDir()),
	})
	in.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { p.Kill(); <-p.Done() }()
	var pids []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "pids "); ok {
			pids = strings.Fields(rest)
			break
		}
	}
	if len(pids) != 5 {
		t.Fatalf("processes %v, want pulseaudio and the four of PipeWire", pids)
	}
	for _, pid := range pids {
		if !alive(pid) {
			t.Errorf("process %s does not run", pid)
		}
	}
	// Only the one process: its own group must not be what ends the servers.
	syscall.Kill(p.PID(), syscall.SIGKILL)
	<-p.Done()
	WaitFor(t, "the servers to end", func() bool { return !slices.ContainsFunc(pids, alive) })
}

// alive tells whether a process runs; one that nobody has waited for yet
// does not.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// lockedBuffer is a buffer that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) Len() int { return len(l.String()) }
