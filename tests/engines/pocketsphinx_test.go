package engines_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

func pocketsphinx(t testing.TB) *engine {
	t.Helper()
	needPocketSphinx(t)
	return start(t, nil, enginePath(t, "pocketsphinx"))
}

func needPocketSphinx(t testing.TB) {
	t.Helper()
	need(t, "python3")
	if err := exec.Command(enginePath(t, "pocketsphinx"), "--check").Run(); err != nil {
		absent(t, "libpocketsphinx with its model")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	e := pocketsphinx(t)
	if e.ready.Engine != "pocketsphinx en-us" {
		t.Errorf("engine %q", e.ready.Engine)
	}
	e.end()
	path := enginePath(t, "pocketsphinx")
	tests := []struct {
		name   string
		env    []string
		argv   []string
		status int
		says   string
	}{
		{"here", nil, nil, 0, ""},
		{"model by path", nil, []string{"--model", "/usr/share/pocketsphinx/model/en-us"}, 0, ""},
		{"no such model", nil, []string{"--model", "/nonexistent"}, 69, "apt install pocketsphinx-en-us"},
		{"no library", []string{"VI_POCKETSPHINX_LIB=/nonexistent.so"}, nil, 69, "libpocketsphinx"},
		{"unknown flag", nil, []string{"--frobnicate"}, 64, "frobnicate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, errs := check(t, tt.env, append([]string{path}, tt.argv...)...)
			if status != tt.status || !strings.Contains(errs, tt.says) || (tt.status != 0) != (strings.Count(errs, "\n") == 1) {
				t.Errorf("status %d, want %d; stderr %q", status, tt.status, errs)
			}
		})
	}
}

// TestStream speaks through a FIFO and wants words before it has ended.
func TestStream(t *testing.T) {
	t.Parallel()
	e := pocketsphinx(t)
	pcm := human(t, "goforward.raw")
	path, open := fifo(t)
	e.send(take(path, "en-US"))
	w := open()
	half := len(pcm) * 2 / 3 &^ 1
	// An odd number of bytes at a time: the engine must put samples together.
	for b := pcm[:half]; len(b) > 0; b = b[min(len(b), 1001):] {
		if _, err := w.Write(b[:min(len(b), 1001)]); err != nil {
			t.Fatal(err)
		}
	}
	event := e.next()
	if event.Type != wire.ASRPartial || event.Take != "t1" || event.Draft == "" {
		t.Errorf("while the FIFO was open: %+v", event)
	}
	if _, err := w.Write(pcm[half:]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	event, _ = e.result()
	if event.Text != "go forward ten meters" || event.Outcome != wire.OutcomeUsable {
		t.Errorf("final: %+v", event)
	}
	e.end()
}

// TestPause settles what was said before a pause.
func TestPause(t *testing.T) {
	t.Parallel()
	need(t, "flite")
	e := pocketsphinx(t)
	pcm := append(say(t, "rms", "the weather was cold"), silence(1500)...)
	pcm = append(pcm, say(t, "rms", "and the wind came from the north")...)
	e.send(take(file(t, pcm), "en"))
	committed := ""
	for {
		event := e.next()
		if event.Type != wire.ASRPartial {
			if committed == "" || !strings.HasPrefix(event.Text, committed) {
				t.Errorf("committed %q, final %q", committed, event.Text)
			}
			break
		}
		if !strings.HasPrefix(event.Committed, committed) {
			t.Errorf("committed %q became %q", committed, event.Committed)
		}
		committed = event.Committed
	}
	e.end()
}

func TestNothingSaid(t *testing.T) {
	t.Parallel()
	e := pocketsphinx(t)
	random := rand.New(rand.NewPCG(1, 2))
	noise := silence(3000)
	for i := 0; i < len(noise); i += 2 {
		v := int16(random.NormFloat64() * 800)
		noise[i], noise[i+1] = byte(v), byte(v>>8)
	}
	click := silence(2000)
	for i := 30000; i < 31000; i++ {
		click[i] = byte(random.Uint32())
	}
	for name, pcm := range map[string][]byte{"silence": silence(2000), "nothing": nil, "half a sample": {1}, "noise": noise, "click": click} {
		if got := e.text(pcm, "JSONL", "vi-session"); got != "" {
			t.Errorf("%s: heard %q", name, got)
		}
	}
	if got := e.text(human(t, "goforward.raw")); got != "go forward ten meters" {
		t.Errorf("after noise: %q", got)
	}
	e.end()
}

// TestBadRequests sends what is wrong and then something right.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	e := pocketsphinx(t)
	pcm := file(t, human(t, "goforward.raw"))
	right := take(pcm, "en")
	tests := []struct{ name, line, kind, code string }{
		{"not JSON", "{", "record", "not_json"},
		{"not an object", "[1]", "record", "audio"},
		{"deep", strings.Repeat("[", 100_000), "record", "not_json"},
		{"another schema", strings.Replace(right, "take/1", "take/2", 1), "record", "schema"},
		{"no id", strings.Replace(right, `"id":"t1"`, `"id":""`, 1), "record", "id"},
		{"hints of numbers", strings.Replace(right, `"language"`, `"hints":[1],"language"`, 1), "record", "hints"},
		{"another rate", strings.Replace(right, "16000", "48000", 1), "audio", "format"},
		{"no such file", take("/nonexistent", "en"), "audio", "open_No_such_file_or_directory"},
		{"a device", take("/dev/zero", "en"), "audio", "not_a_file"},
		{"Chinese", take(pcm, "zh-CN"), "language", "english_only"},
		{"too long", `{"x":"` + strings.Repeat("x", wire.MaxLine) + `"}`, "record", "too_long"},
	}
	for _, tt := range tests {
		e.send(tt.line)
		event, _ := e.result()
		if event.Type != wire.ASRError || event.Reason != "failed" || event.Kind != tt.kind || event.Code != tt.code || event.Text != "" {
			t.Errorf("%s: %+v", tt.name, event)
		}
	}
	for _, language := range []string{"", "auto", "en-GB"} {
		e.send(take(pcm, language))
		if event, _ := e.result(); event.Text != "go forward ten meters" {
			t.Errorf("language %q: %+v", language, event)
		}
	}
	e.end()
}

// TestHints hears a term only where it was said, and only while it is expected.
func TestHints(t *testing.T) {
	t.Parallel()
	need(t, "flite")
	e := pocketsphinx(t)
	pcm := say(t, "rms", "the vee eye session program must never guess")
	hints := []string{"JSONL", "vi-session", "语音", "stopReason", " ", "x y\nz (2)", strings.Repeat("long ", 500)}
	if got := e.text(pcm, hints...); got != "the vi-session program must never guess" {
		t.Errorf("with hints: %q", got)
	}
	if got := e.text(pcm); strings.Contains(got, "vi") && strings.Contains(got, "-") {
		t.Errorf("without hints: %q", got)
	}
	if got := e.text(pcm, "VI SESSION"); !strings.Contains(got, "VI SESSION") {
		t.Errorf("written otherwise: %q", got)
	}
	e.end()
}

// TestParentDies kills the process that started the engine, while a take waits
// for its audio and standard input stays open.
func TestParentDies(t *testing.T) {
	t.Parallel()
	needPocketSphinx(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := fmt.Sprintf(`exec 3<&0; %s <&3 3<&- & echo $! > %s; wait`, enginePath(t, "pocketsphinx"), pidFile)
	e := start(t, nil, "sh", "-c", script)
	path, open := fifo(t)
	e.send(take(path, "en"))
	w := open()
	defer w.Close()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(b), &pid)
	e.cmd.Process.Signal(syscall.SIGKILL)
	gone(t, pid, "the engine whose parent died")
}

func TestTerm(t *testing.T) {
	t.Parallel()
	e := pocketsphinx(t)
	path, open := fifo(t)
	e.send(take(path, "en"))
	defer open().Close()
	begun := time.Now()
	e.cmd.Process.Signal(syscall.SIGTERM)
	if err := e.cmd.Wait(); err != nil && e.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("TERM after %s: %v", time.Since(begun), err)
	}
}

// TestDictionaryBounded meets more terms than are kept.
func TestDictionaryBounded(t *testing.T) {
	t.Parallel()
	needPocketSphinx(t)
	var kept []int
	python(t, "pocketsphinx", `(lambda e: [setattr(m, "MOST_KEYS", 3), e.load()] and
		[e._use(h) or len(e._keys) for h in (["JSONL", "SQLite"], ["TOML"], ["YAML", "JSONL"], [], ["YAML"])])(m.PocketSphinx(None))`, &kept)
	if want := []int{2, 3, 2, 2, 2}; !slices.Equal(kept, want) {
		t.Errorf("%v terms were kept, want %v", kept, want)
	}
}
