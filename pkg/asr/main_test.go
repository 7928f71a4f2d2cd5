package asr

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

// The tests of the program run the real one, with the engine program in
// testdata/engine, which behaves as the name says that it is called by.
var programs struct{ dir, viASR, engines string }

var modes = []string{
	"count", "says", "echo", "partials", "empty-final", "refuses", "no-open", "garbage", "dies", "dies-after-text", "dies-after-segments",
	"language", "own-kind", "early", "no-final", "stops-reading", "floods-lines", "ignores-term", "whisper", "pocketsphinx",
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vi-test-")
	if err != nil {
		panic(err)
	}
	programs.dir, programs.viASR, programs.engines = dir, filepath.Join(dir, "bin/vi-asr"), filepath.Join(dir, "engines")
	os.Mkdir(programs.engines, 0o755)
	engine := filepath.Join(dir, "engine")
	for path, source := range map[string]string{programs.viASR: "voice-input/cmd/vi-asr", engine: "./testdata/engine"} {
		if out, err := exec.Command("go", "build", "-o", path, source).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s", out)
			os.Exit(1)
		}
	}
	for _, mode := range modes {
		os.Symlink(engine, filepath.Join(programs.engines, mode))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// sandbox is an environment of its own for a run of vi-asr. When the test
// ends nothing of it may be left.
type sandbox struct {
	t    *testing.T
	dir  string
	mark string
	env  []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := &sandbox{t: t, dir: t.TempDir()}
	s.mark = "VI_TEST_MARK=" + s.dir
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "XDG_RUNTIME_DIR=" + s.dir,
		"VI_ENGINES=" + programs.engines, s.mark,
	}
	t.Cleanup(func() {
		// The kernel may take a moment to end what was killed.
		var left []string
		for range 500 {
			if left = s.left(); len(left) == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("left behind: %v", left)
	})
	return s
}

// left returns the processes of the sandbox, and the private directories.
func (s *sandbox) left() []string {
	out, _ := filepath.Glob(filepath.Join(s.dir, "voice-input/asr-*"))
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range files {
		b, _ := os.ReadFile(path)
		if bytes.Contains(b, []byte(s.mark)) {
			out = append(out, filepath.Dir(path))
		}
	}
	return out
}

func (s *sandbox) command(args ...string) *exec.Cmd {
	cmd := exec.Command(programs.viASR, args...)
	cmd.Env = s.env
	return cmd
}

type result struct {
	status         int
	stdout, stderr string
	events         []*wire.ASR
}

// run runs vi-asr to its end.
func (s *sandbox) run(stdin io.Reader, args ...string) result {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String(), decode(s.t, out.String())}
}

func decode(t *testing.T, out string) []*wire.ASR {
	t.Helper()
	var events []*wire.ASR
	for line := range strings.Lines(out) {
		ev := &wire.ASR{}
		if err := wire.Decode([]byte(line), ev); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		events = append(events, ev)
	}
	return events
}

// last returns the one final or error event, which only statistics follow.
func (r result) last(t *testing.T) *wire.ASR {
	t.Helper()
	n := len(r.events)
	if n < 2 || r.events[n-1].Type != wire.ASRStats {
		t.Fatalf("no statistics at the end: %s%s", r.stdout, r.stderr)
	}
	for i, ev := range r.events {
		if end := ev.Type == wire.ASRFinal || ev.Type == wire.ASRError; end != (i == n-2) {
			t.Fatalf("event %d is %s: %s", i, ev.Type, r.stdout)
		}
	}
	return r.events[n-2]
}

// speech is a spoken sentence, as 16 kHz samples.
var speech = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("bash", "-euo", "pipefail", "-c",
		`cd "$1"; flite -voice kal16 -t "open the settings file" speech.wav; sox speech.wav -t raw -r 16000 -c 1 -b 16 -e signed - pad 0.2 0.2`,
		"-", programs.dir).Output()
})

func spoken(t *testing.T) []byte {
	t.Helper()
	b, err := speech()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counted is what the engine "count" says about samples.
func counted(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprintf("bytes %d sha %x s16le 16000 1 ", len(b), sum[:4])
}
