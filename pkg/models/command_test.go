package models

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voice-input/pkg/cli"
)

// world is a home directory with a manifest of one model, served on loopback.
type world struct {
	share, data string
	model       Model
	content     []byte
	requests    int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{share: t.TempDir(), data: t.TempDir(), content: []byte("weights")}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		w.requests++
		rw.Write(w.content)
	}))
	t.Cleanup(s.Close)
	w.model = modelOf("tiny", w.content, s.URL+"/f.bin")
	f := w.model.Files[0]
	manifest := fmt.Sprintf("[[model]]\nname = \"tiny\"\nengine = \"whisper\"\nlicence = \"MIT\"\nlanguages = \"99\"\n"+
		"[[model.file]]\nname = %q\nurl = %q\nsize = %d\nsha256 = %q\n", f.Name, f.URL, f.Size, f.SHA256)
	if err := os.WriteFile(filepath.Join(w.share, "models.toml"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs "model ARGS" and returns its status and what it wrote.
func (w *world) run(t *testing.T, args ...string) (status int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := map[string]string{"VI_SHARE": w.share, "XDG_DATA_HOME": w.data}
	o := &cli.IO{
		Args: append([]string{"model"}, args...), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(k string) string { return env[k] },
	}
	status = cli.Main(t.Context(), Command(), o)
	return status, stdout.String(), stderr.String()
}

func TestCommand(t *testing.T) {
	w := newWorld(t)
	place := filepath.Join(w.data, "voice-input/models/tiny")

	status, out, _ := w.run(t, "list")
	if status != 0 || !strings.Contains(out, "tiny  no") {
		t.Errorf("list: %d, %q", status, out)
	}
	status, out, errs := w.run(t, "path", "tiny")
	if status != 66 || out != "" || !strings.Contains(errs, "model get tiny") {
		t.Errorf("path of what is not there: %d, %q, %q", status, out, errs)
	}
	status, out, errs = w.run(t, "get", "tiny")
	if status != 0 || out != place+"\n" || !strings.Contains(errs, "fetching tiny") {
		t.Errorf("get: %d, %q, %q", status, out, errs)
	}
	if status, out, errs = w.run(t, "get", "tiny"); status != 0 || out != place+"\n" || errs != "" || w.requests != 1 {
		t.Errorf("second get: %d, %q, %q, %d requests", status, out, errs, w.requests)
	}
	if status, out, _ = w.run(t, "path", "tiny"); status != 0 || out != place+"\n" {
		t.Errorf("path: %d, %q", status, out)
	}
	if status, out, _ = w.run(t, "list"); status != 0 || !strings.Contains(out, "tiny  yes") {
		t.Errorf("list: %d, %q", status, out)
	}
	if err := os.WriteFile(filepath.Join(place, "f.bin"), []byte("WEIGHTS"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, errs = w.run(t, "get", "tiny"); status != 0 || !strings.Contains(errs, "damaged") || w.requests != 2 {
		t.Errorf("get of a damaged model: %d, %q, %d requests", status, errs, w.requests)
	}
	if status, _, _ = w.run(t, "get", "large"); status != 66 {
		t.Errorf("get of an unknown model: %d", status)
	}
	if status, _, _ = w.run(t); status != 64 {
		t.Errorf("no sub-command: %d", status)
	}
}

func TestFrom(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "f.bin")
	tests := []struct {
		name, content, from string
		want                int
	}{
		{"missing", "", dir, 66},
		{"wrong", "WEIGHTS", file, 65},
		{"too long", "weights and more", file, 65},
		{"too short", "weight", dir, 65},
		{"directory", "weights", dir, 0},
		{"file", "weights", file, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.data = t.TempDir()
			if tt.content != "" {
				if err := os.WriteFile(file, []byte(tt.content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			status, _, errs := w.run(t, "get", "--from", tt.from, "tiny")
			if status != tt.want {
				t.Errorf("status %d, want %d: %s", status, tt.want, errs)
			}
			want := map[string]int{}
			if tt.want == 0 {
				want["tiny/f.bin"] = len(w.content)
			}
			checkStore(t, Store{filepath.Join(w.data, "voice-input/models")}, want)
		})
	}
	if w.requests != 0 {
		t.Errorf("%d requests were made", w.requests)
	}
}
