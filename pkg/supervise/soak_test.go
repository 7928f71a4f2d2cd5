package supervise

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
	"voice-input/tests/fakellm"
)

// soakTime is how long TestSoak runs where nobody says: enough to prove that it
// works. "just soak" says VI_SOAK=1h.
const soakTime = 20 * time.Second

// TestSoak dictates for a long time, with commands at random moments and one
// fault after the other. What the daemon holds stays the same: memory,
// descriptors, threads, goroutines, files; its status is true after each round,
// and at the end nothing runs. VI_TEST_SEED repeats a run.
func TestSoak(t *testing.T) {
	t.Parallel()
	length, seed := soakTime, uint64(time.Now().UnixNano())
	if s := os.Getenv("VI_SOAK"); s != "" {
		var err error
		length, err = time.ParseDuration(s)
		must(t, err)
	}
	if s := os.Getenv("VI_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("VI_TEST_SEED=%d", seed)
	s := newSoak(t, rand.New(rand.NewPCG(seed, 2)))
	defer s.silence()

	// What a daemon has that has done everything once.
	s.dictate()
	s.settle()
	usual := s.goroutines()
	s.start()

	begun := time.Now()
	for round := 0; time.Since(begun) < length; round++ {
		s.round(round)
		s.settle()
		if t.Failed() {
			t.Fatalf("VI_TEST_SEED=%d, round %d after %s", seed, round, time.Since(begun).Round(time.Second))
		}
		s.measure(time.Since(begun))
	}
	left := s.goroutines()
	s.nothingRuns()
	s.report(usual, left)
}

// soak is a daemon that is used for long.
type soak struct {
	*lab
	rng      *rand.Rand
	llm      *fakellm.Server
	speaking sync.WaitGroup
	quit     chan struct{}
	counts   map[string]int
	wordless map[string]bool // takes
	all      []measured
}

// measured is what the daemon holds after a round.
type measured struct {
	at                          time.Duration
	rss                         float64 // MB
	descriptors, threads, files int
	stages                      float64 // MB, of the programs that stay
}

func newSoak(t *testing.T, rng *rand.Rand) *soak {
	t.Helper()
	llm, err := fakellm.Listen("127.0.0.1:0", "")
	must(t, err)
	t.Cleanup(func() { llm.Close() })
	server := soundtest.Pulse(t)
	s := &soak{rng: rng, llm: llm, quit: make(chan struct{}), counts: map[string]int{}, wordless: map[string]bool{}}
	s.lab = newLabWith(t, server, s.text("edit"), []string{"TMPDIR=" + t.TempDir()})
	mic := server.Mic()
	s.speaking.Go(func() { // somebody who never stops
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for pcm := speech(); ; pcm = speech() {
			for ; len(pcm) >= step; pcm = pcm[step:] {
				select {
				case <-s.quit:
					return
				case <-tick.C:
					mic.Write(pcm[:step]) // waits where nobody records
				}
			}
		}
	})
	t.Cleanup(func() { mic.Close() })
	return s
}

// silence ends the speaker, who may wait for somebody to record.
func (s *soak) silence() {
	close(s.quit)
	drain, err := os.OpenFile(s.server.FIFO(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer drain.Close()
		drain.Read(make([]byte, 64<<10))
	}
	s.speaking.Wait()
}

// text is the configuration with a model of the fake service.
func (s *soak) text(model string) string {
	return local + fmt.Sprintf("[audio]\nstall_ms = 1000\nmax_duration_ms = 8000\n[history]\nmax_entries = 20\n[hotkey]\ntap_ms = 100\n"+
		"[llm]\nenabled = true\nagent_context_enabled = true\nurl = %q\nmodel = %q\ntimeout_ms = 1000\n"+
		"[stages]\nfocus = [\"echo\", '%s']\nsession = [\"echo\", '%s']\n", s.llm.URL, "fake/"+model, piFocus, answered)
}

// send sends a command and counts what came of it.
func (s *soak) send(c Command) *wire.Reply {
	s.t.Helper()
	r, err := ask(s.t.Context(), filepath.Join(s.server.RuntimeDir, "voice-input"), &wire.Control{Command: string(c), Private: s.rng.IntN(8) == 0})
	if err != nil {
		s.t.Fatalf("%s: %v", c, err)
	}
	s.counts["commands"]++
	return r
}

func (s *soak) pause(most time.Duration) { time.Sleep(time.Duration(s.rng.Int64N(int64(most)))) }

// dictate is a take as most are.
func (s *soak) dictate() {
	s.t.Helper()
	if s.send(Start).Status != 0 {
		return
	}
	s.server.WaitFor("a second of speech", func() bool { st := s.status(); return st.RecordingMS > 1000 || st.Phase == string(Idle) })
	s.pause(2 * time.Second)
	s.send(Stop)
}

// round is a take or a burst of commands, and in some rounds a fault beside it.
func (s *soak) round(n int) {
	s.t.Helper()
	var fault sync.WaitGroup
	if n%3 == 2 {
		names := soakFaults
		f := names[n/3%len(names)]
		wait := time.Duration(s.rng.IntN(2000)) * time.Millisecond
		fault.Go(func() {
			time.Sleep(wait)
			f.do(s)
		})
		s.counts["faults"]++
	}
	if s.rng.IntN(3) > 0 {
		s.dictate()
	} else {
		ops := []Command{Start, Stop, Toggle, Toggle, Press, Release, Cancel, UndoCancel, Restart, Retry, Repeat}
		for range 3 + s.rng.IntN(6) {
			s.send(ops[s.rng.IntN(len(ops))])
			s.pause(300 * time.Millisecond)
		}
		s.send(Stop)
	}
	fault.Wait()
}

// soakFaults are what happens to a daemon in a long life.
var soakFaults = []struct {
	name string
	do   func(*soak)
}{
	{"recorder killed", func(s *soak) { s.hit("vi-capture", syscall.SIGKILL) }},
	{"recogniser killed", func(s *soak) { s.hit("vi-asr", syscall.SIGKILL) }},
	{"engine killed", func(s *soak) { s.hit("engines/pocketsphinx", syscall.SIGKILL) }},
	{"terms killed", func(s *soak) { s.hit("vi-terms", syscall.SIGKILL) }},
	{"refiner killed", func(s *soak) { s.hit("vi-refine", syscall.SIGKILL) }},
	{"typer killed", func(s *soak) { s.hit("vi-type", syscall.SIGKILL) }},
	{"recorder stopped", func(s *soak) { s.hit("vi-capture", syscall.SIGSTOP) }},
	{"sound server stalls", func(s *soak) {
		s.server.Stop()
		time.Sleep(300 * time.Millisecond)
		s.server.Continue()
	}},
	{"configuration read again", func(s *soak) { s.daemon.Process.Signal(syscall.SIGHUP) }},
	{"configuration broken, then mended", func(s *soak) {
		s.configure("[asr\n")
		s.daemon.Process.Signal(syscall.SIGHUP)
		time.Sleep(100 * time.Millisecond)
		s.configure(s.text("edit"))
		s.daemon.Process.Signal(syscall.SIGHUP)
	}},
	{"model hangs", func(s *soak) {
		s.configure(s.text("hang"))
		s.daemon.Process.Signal(syscall.SIGHUP)
	}},
	{"model answers nonsense, then works", func(s *soak) {
		s.configure(s.text("status-500"))
		s.daemon.Process.Signal(syscall.SIGHUP)
		time.Sleep(500 * time.Millisecond)
		s.configure(s.text("edit"))
		s.daemon.Process.Signal(syscall.SIGHUP)
	}},
	{"clients come and go", func(s *soak) {
		for range 2 * maxClients {
			conn, err := net.Dial("unix", socketPath(filepath.Join(s.server.RuntimeDir, "voice-input")))
			if err != nil {
				continue // too many at once
			}
			wire.Write(conn, &wire.Control{Command: "status", Follow: true})
			defer conn.Close()
		}
	}},
}

// hit sends a signal to the processes of a name that there are.
func (s *soak) hit(name string, signal syscall.Signal) {
	for _, pid := range s.children(name) {
		syscall.Kill(pid, signal)
	}
}

// settle waits until the daemon is idle and has told the truth of it, and
// brings what was not delivered. A take may be too short to have a word in it.
func (s *soak) settle() {
	s.t.Helper()
	for range 3 * spoolTakes {
		s.server.WaitFor("a true status", func() bool {
			st := s.status()
			return st.Phase == string(Idle) && st.Job == "" && st.Recoverable == len(s.spooled())
		})
		s.quiet()
		if !slices.ContainsFunc(s.spooled(), func(path string) bool { return !s.wordless[strings.TrimSuffix(filepath.Base(path), spoolExt)] }) {
			return
		}
		r, err := ask(s.t.Context(), filepath.Join(s.server.RuntimeDir, "voice-input"), &wire.Control{Command: string(Retry), Wait: true})
		if err != nil {
			s.t.Fatalf("retry: %v", err)
		}
		s.counts["retries"]++
		if r.Reason == "empty" {
			s.wordless[r.Job] = true
		}
	}
	s.t.Errorf("%d takes cannot be retried", len(s.spooled()))
}

// measure notes what the daemon holds.
func (s *soak) measure(at time.Duration) {
	pid := s.daemon.Process.Pid
	descriptors, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	m := measured{at: at, rss: rss(pid), descriptors: len(descriptors), threads: field(fmt.Sprintf("/proc/%d/status", pid), "Threads:")}
	for _, name := range []string{"vi-asr", "vi-terms"} {
		for _, child := range s.children(name) {
			m.stages += rss(child)
		}
	}
	filepath.Walk(filepath.Join(s.server.RuntimeDir, "voice-input"), func(string, os.FileInfo, error) error { m.files++; return nil })
	s.all = append(s.all, m)
	s.counts["rounds"]++
}

var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)

// goroutines ends the daemon by a signal on which it tells all of them.
func (s *soak) goroutines() int {
	s.t.Helper()
	before, _ := os.ReadFile(s.log)
	s.daemon.Process.Signal(syscall.SIGQUIT)
	s.daemon.Wait()
	after, _ := os.ReadFile(s.log)
	n := len(goroutine.FindAll(after[len(before):], -1))
	if n == 0 {
		s.t.Error("the daemon did not tell its goroutines")
	}
	os.Truncate(s.log, int64(len(before))) // nobody wants to read all that
	return n
}

// report compares the first quarter after a warm-up with the last one.
func (s *soak) report(usual, left int) {
	s.t.Helper()
	delivered := strings.Count(s.delivered(), "\n")
	s.t.Logf("%d rounds, %d commands, %d takes delivered, %d faults, %d retries", s.counts["rounds"], s.counts["commands"], delivered, s.counts["faults"], s.counts["retries"])
	warm := s.all[len(s.all)/5:]
	window := max(1, len(warm)/4)
	early, late := warm[:window], warm[len(warm)-window:]
	row := func(what string, of func(measured) float64, grows float64) {
		a, b := middle(early, of), middle(late, of)
		s.t.Logf("%-28s %8.1f → %8.1f  (may grow by %.1f)", what, a, b, grows)
		if b > a+grows {
			s.t.Errorf("%s grew from %.1f to %.1f", what, a, b)
		}
	}
	row("daemon, RSS in MB", func(m measured) float64 { return m.rss }, rssMayGrow)
	row("daemon, descriptors", func(m measured) float64 { return float64(m.descriptors) }, 2)
	// Go keeps the threads of its busiest moment.
	row("daemon, threads", func(m measured) float64 { return float64(m.threads) }, 8)
	row("files in the runtime directory", func(m measured) float64 { return float64(m.files) }, spoolTakes)
	s.t.Logf("%-28s %8.1f → %8.1f", "vi-asr and vi-terms, MB", middle(early, func(m measured) float64 { return m.stages }), middle(late, func(m measured) float64 { return m.stages }))
	s.t.Logf("%-28s %8d → %8d", "daemon, goroutines", usual, left)
	if left > usual+2 {
		s.t.Errorf("%d goroutines at the end, %d are usual", left, usual)
	}
	if delivered < s.counts["rounds"]/4 {
		s.t.Errorf("%d takes were delivered in %d rounds", delivered, s.counts["rounds"])
	}
}

func middle(all []measured, of func(measured) float64) float64 {
	var v []float64
	for _, m := range all {
		v = append(v, of(m))
	}
	slices.Sort(v)
	return v[len(v)/2]
}
