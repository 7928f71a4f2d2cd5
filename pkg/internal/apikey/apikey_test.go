package apikey

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
)

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	private := write(t, filepath.Join(dir, "private"), "  from-file\r\n", 0o600)
	open := write(t, filepath.Join(dir, "open"), "sentinel", 0o640)
	write(t, filepath.Join(dir, "asr.x"), "from-systemd\n", 0o400)
	empty := write(t, filepath.Join(dir, "empty"), " \n", 0o600)
	two := write(t, filepath.Join(dir, "two"), "sentinel\nsentinel", 0o600)
	long := write(t, filepath.Join(dir, "long"), strings.Repeat("s", maxKey+1), 0o600)
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	command := []string{"printf", `from-command\n`}
	all := Source{Credential: "asr.x", File: private, Command: command, Environ: []string{"A", "B"}}
	without := func(f func(*Source)) Source { s := all; f(&s); return s }
	tests := []struct {
		name   string
		source Source
		env    map[string]string
		want   string // "!" and a piece of the error
	}{
		{"systemd first", all, map[string]string{"CREDENTIALS_DIRECTORY": dir, "B": "b"}, "from-systemd"},
		{"no such credential", without(func(s *Source) { s.Credential = "other" }), map[string]string{"CREDENTIALS_DIRECTORY": dir}, "from-file"},
		{"then the file", all, map[string]string{"B": "b"}, "from-file"},
		{"then the command", without(func(s *Source) { s.File = "" }), map[string]string{"B": "b"}, "from-command"},
		{"then the variables", Source{Environ: []string{"A", "B"}}, map[string]string{"B": "b"}, "b"},
		{"the first variable", Source{Environ: []string{"A", "B"}}, map[string]string{"A": "a", "B": "b"}, "a"},
		{"nowhere", Source{Environ: []string{"A"}}, nil, "!no key"},
		{"open file", Source{File: open}, nil, "!others may read"},
		{"missing file", Source{File: filepath.Join(dir, "none"), Environ: []string{"A"}}, map[string]string{"A": "a"}, "!no such file"},
		{"empty file", Source{File: empty}, nil, "!empty"},
		{"two lines", Source{File: two}, nil, "!blank"},
		{"too long", Source{File: long}, nil, "!longer"},
		{"fifo", Source{File: fifo}, nil, "!no regular file"},
		{"directory", Source{File: dir}, nil, "!no regular file"},
		{"failing command", Source{Command: []string{"sh", "-c", "echo sentinel; echo sentinel >&2; exit 3"}}, nil, "!exit status 3"},
		{"no such command", Source{Command: []string{"no-such-program"}}, nil, "!no program"},
		{"silent command", Source{Command: []string{"true"}}, nil, "!empty"},
		{"endless command", Source{Command: []string{"sh", "-c", "yes sentinel | head -c 1000000"}}, nil, "!longer"},
		{"beyond ASCII", Source{Environ: []string{"A"}}, map[string]string{"A": "ключ"}, "!beyond ASCII"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key, err := tt.source.Find(t.Context(), func(k string) string { return tt.env[k] })
			piece, fails := strings.CutPrefix(tt.want, "!")
			switch {
			case !fails && (err != nil || key.Reveal() != tt.want):
				t.Errorf("got %q, %v", key.Reveal(), err)
			case fails && (err == nil || !strings.Contains(err.Error(), piece) || cli.StatusOf(err) != cli.StatusNoPerm):
				t.Errorf("got %v", err)
			case fails && strings.Contains(err.Error(), "sentinel"):
				t.Errorf("the key stands in %v", err)
			}
		})
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	k := Key{"sentinel"}
	b, _ := json.Marshal(map[string]any{"k": k})
	for _, s := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %q", k, k, k, k, k), string(b), fmt.Sprintf("%+v", struct{ K Key }{k})} {
		if strings.Contains(s, "sentinel") {
			t.Errorf("printed: %s", s)
		}
	}
}

func TestScrub(t *testing.T) {
	env := []string{"PATH=/bin", "OPENAI_API_KEY=a", "DASHSCOPE_API_KEY=b", "CREDENTIALS_DIRECTORY=/x", "HOME=/h"}
	if got := Scrub(env); !slices.Equal(got, []string{"PATH=/bin", "HOME=/h"}) {
		t.Errorf("got %q", got)
	}
	if got := Scrub(env, "OPENAI_API_KEY"); !slices.Equal(got, []string{"PATH=/bin", "OPENAI_API_KEY=a", "HOME=/h"}) {
		t.Errorf("kept: %q", got)
	}
}
