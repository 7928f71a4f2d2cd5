package engines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExample runs the engine that docs/engines.md shows.
func TestExample(t *testing.T) {
	t.Parallel()
	need(t, "sh", "jq", "pocketsphinx_continuous")
	page, err := os.ReadFile("../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(page), "```sh\n")
	program, _, closed := strings.Cut(program, "```\n")
	if !found || !closed {
		t.Fatal("the page shows no program")
	}
	path := filepath.Join(t.TempDir(), "example")
	if err := os.WriteFile(path, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if status, errs := check(t, nil, "sh", path); status != 0 {
		t.Errorf("--check: %d, %s", status, errs)
	}
	empty := t.TempDir()
	shell := "/bin/sh"
	if status, errs := check(t, []string{"PATH=" + empty}, shell, path); status != 69 || strings.Count(errs, "\n") != 1 {
		t.Errorf("--check without its programs: %d, %q", status, errs)
	}
	e := start(t, nil, "sh", path)
	if got := e.text(human(t, "numbers.raw")); !strings.Contains(got, "thirty three four or six") {
		t.Errorf("a file: %q", got)
	}
	pcm := human(t, "goforward.raw")
	fifoPath, open := fifo(t)
	e.send(take(fifoPath, "en"))
	w := open()
	if _, err := w.Write(append(pcm, silence(300)...)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if event, _ := e.result(); event.Text == "" || event.Take != "t1" {
		t.Errorf("a FIFO: %+v", event)
	}
	if got := e.text(silence(1000)); got != "" {
		t.Errorf("silence: %q", got)
	}
	e.end()
}
