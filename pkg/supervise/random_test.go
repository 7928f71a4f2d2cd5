package supervise

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

// sumEngine is a recogniser whose text is the checksum of the samples, so that
// each text tells which take it is of.
const sumEngine = `asr = ["sh", "-c", "s=$(cksum | tr ' ' -); case $s in *-0) echo '{\"schema\":\"vi.asr/1\",\"reason\":\"no_speech\",\"type\":\"final\",\"outcome\":\"empty\"}';; *) echo \"{\\\"schema\\\":\\\"vi.asr/1\\\",\\\"reason\\\":\\\"ok\\\",\\\"type\\\":\\\"final\\\",\\\"outcome\\\":\\\"usable\\\",\\\"text\\\":\\\"w$s\\\"}\";; esac"]` + "\n"

// TestRandomCommands plays commands at random moments: no take is lost, none
// is delivered twice or after it was cancelled, the status is true, and nothing
// runs on. VI_TEST_SEED repeats a run, VI_TEST_SEQUENCES is how many there are.
func TestRandomCommands(t *testing.T) {
	t.Parallel()
	seed, sequences := uint64(time.Now().UnixNano()), 200
	if s := os.Getenv("VI_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	if s := os.Getenv("VI_TEST_SEQUENCES"); s != "" {
		sequences, _ = strconv.Atoi(s)
	}
	t.Logf("VI_TEST_SEED=%d", seed)
	// Most of the time is waited, so several daemons share the sequences.
	const daemons = 5
	for part := range uint64(daemons) {
		t.Run(fmt.Sprintf("daemon %d", part), func(t *testing.T) {
			t.Parallel()
			randomCommands(t, rand.New(rand.NewPCG(seed, part)), sequences/daemons)
		})
	}
}

// randomCommands plays sequences to one daemon.
func randomCommands(t *testing.T, rng *rand.Rand, sequences int) {
	server := soundtest.Pulse(t)
	l := newLab(t, server, "[deliver]\nto = \"stdout\"\n[hotkey]\ntap_ms = 50\n[stages]\n"+sumEngine)
	p := play(server.Mic(), rng.Uint64())
	defer func() { p.end() }()
	for i := range sequences {
		if p.written() > len(p.pcm)-20*100*step {
			p.end()
			p = play(server.Mic(), rng.Uint64())
		}
		newSequence(l, rng, i).run()
		if t.Failed() {
			t.Fatalf("sequence %d", i)
		}
	}
	l.quiet()
}

// sequence is a few commands and what is known of the takes they made.
type sequence struct {
	*lab
	rng       *rand.Rand
	number    int
	dir       string
	jobs      map[string]bool // true: cancelled, and not brought back since
	delivered int             // lines before it
	repeats   int
	log       []string
}

func newSequence(l *lab, rng *rand.Rand, n int) *sequence {
	return &sequence{lab: l, rng: rng, number: n, dir: l.t.TempDir(), jobs: map[string]bool{}, delivered: len(strings.Fields(l.delivered()))}
}

func (s *sequence) command(c Command, wait bool) *wire.Reply {
	s.t.Helper()
	r, err := ask(s.t.Context(), filepath.Join(s.server.RuntimeDir, "voice-input"), &wire.Control{Command: string(c), Wait: wait})
	if err != nil {
		s.t.Fatalf("%s: %v", c, err)
	}
	s.log = append(s.log, fmt.Sprintf("%s→%s", c, r.Reason))
	return r
}

func (s *sequence) run() {
	s.t.Helper()
	ops := []Command{Start, Stop, Toggle, Toggle, Press, Release, Cancel, UndoCancel, Restart, Retry, Repeat}
	for range 3 + s.rng.IntN(6) {
		c := ops[s.rng.IntN(len(ops))]
		before := s.status().Job
		r := s.command(c, c == Repeat)
		s.note(c, before, r)
		time.Sleep(time.Duration(s.rng.IntN(120)) * time.Millisecond)
	}
	s.command(Stop, false)
	s.await(Idle)
	s.check()
}

// note keeps the file of each new take, and which takes are cancelled.
func (s *sequence) note(c Command, before string, r *wire.Reply) {
	if c == Repeat {
		if r.Status == 0 {
			s.repeats++
		}
		return
	}
	if r.Status == 0 && before != "" && (c == Cancel || c == Restart) {
		// Before the command the take may have ended, and been delivered.
		if r.Job == before || c == Restart && r.Job != before {
			s.jobs[before] = true
		}
	}
	if r.Status != 0 || r.Job == "" {
		return
	}
	if c == Retry || c == UndoCancel {
		s.jobs[r.Job] = false
	}
	if _, known := s.jobs[r.Job]; !known {
		s.jobs[r.Job] = false
	}
	path := filepath.Join(s.dir, r.Job)
	if _, err := os.Lstat(path); err != nil {
		os.Link(filepath.Join(s.server.RuntimeDir, "voice-input/spool", r.Job+spoolExt), path)
	}
}

// lines are the texts delivered since the sequence began.
func (s *sequence) lines() map[string]int {
	count := map[string]int{}
	for _, line := range strings.Fields(s.lab.delivered())[s.delivered:] {
		count[line]++
	}
	return count
}

func (s *sequence) check() {
	s.t.Helper()
	fail := func(format string, args ...any) {
		s.t.Helper()
		s.t.Errorf("sequence %d (%s): %s", s.number, strings.Join(s.log, " "), fmt.Sprintf(format, args...))
	}
	text := func(job string) string {
		b, err := os.ReadFile(filepath.Join(s.dir, job))
		if err != nil || len(b) < bytesPerSample {
			return ""
		}
		cmd := exec.Command("cksum")
		cmd.Stdin = bytes.NewReader(b)
		out, err := cmd.Output()
		if err != nil {
			s.t.Fatal(err)
		}
		return "w" + strings.ReplaceAll(strings.TrimSpace(string(out)), " ", "-")
	}
	got := s.lines()
	for job, cancelled := range s.jobs {
		if n := got[text(job)]; cancelled && n > 0 {
			fail("the cancelled take %s was delivered", job)
		}
	}
	// What the recorder still held belongs to the takes.
	s.server.WaitFor("the recorder's end", func() bool { return len(s.children("vi-capture")) == 0 })
	s.server.WaitFor("a true status", func() bool {
		st := s.status()
		return st.Phase == string(Idle) && st.Job == "" && st.Recoverable == len(s.spooled())
	})
	// Whatever was not delivered comes by retry, so in the end each take has
	// come once.
	for range 2 * spoolTakes {
		r := s.command(Retry, true)
		if r.Status == 1 && r.Reason == "nothing" {
			break
		}
		if r.Status != 0 {
			fail("retry: %+v", r)
		}
		if _, known := s.jobs[r.Job]; !known {
			s.jobs[r.Job] = false
			s.note(Retry, "", r)
		}
	}
	got = s.lines()
	total := 0
	for _, n := range got {
		total += n
	}
	for job := range s.jobs {
		want := text(job)
		if want == "" {
			continue
		}
		if got[want] == 0 {
			fail("take %s was lost", job)
		}
		total--
	}
	if total != s.repeats {
		fail("%d deliveries too many, %d repeats were asked for; %v", total, s.repeats, got)
	}
	if n := len(s.spooled()); n > 0 {
		fail("%d takes are left in the spool", n)
	}
}
