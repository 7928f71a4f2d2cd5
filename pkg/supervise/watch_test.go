package supervise

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/internal/proc"
)

// secret is what must not come out.
type secret struct {
	what, text string
	// key tells that the programs which recognise and refine may have it in
	// their environment, where it is one that came by the environment.
	key bool
}

// watch looks at every process that a daemon has, for as long as it is there:
// none shows a secret, and none would leave a core file.
type watch struct {
	l       *lab
	secrets []secret
	stop    chan struct{}
	done    sync.WaitGroup

	mu    sync.Mutex
	seen  map[string]bool // names of programs
	found map[string]bool // what is wrong
}

func (l *lab) watch(secrets []secret) *watch {
	w := &watch{l: l, secrets: secrets, stop: make(chan struct{}), seen: map[string]bool{}, found: map[string]bool{}}
	w.done.Go(w.run)
	return w
}

// end ends the look, and tells what was seen.
func (w *watch) end() {
	w.l.t.Helper()
	close(w.stop)
	w.done.Wait()
	for fault := range w.found {
		w.l.t.Error(fault)
	}
	for _, program := range []string{"vi-asr", "vi-capture", "vi-refine", "vi-terms", "vi-type"} {
		if !w.seen[program] {
			w.l.t.Errorf("%s was never seen; the look proves nothing: %v", program, w.seen)
		}
	}
}

func (w *watch) run() {
	daemon := w.l.daemon.Process.Pid
	ours, others := map[int]bool{daemon: true}, map[int]bool{}
	for {
		select {
		case <-w.stop:
			return
		case <-time.After(2 * time.Millisecond):
		}
		pids, _ := proc.Root.PIDs()
		for _, pid := range pids {
			if others[pid] {
				continue
			}
			if !ours[pid] {
				stat, err := proc.Root.Stat(pid)
				if err != nil {
					continue
				}
				if !ours[stat.PPID] {
					others[pid] = true
					continue
				}
				ours[pid] = true
			}
			w.look(pid)
		}
	}
}

var coreLimit = regexp.MustCompile(`(?m)^Max core file size +0 +0 +bytes`)

// look reads a process of the daemon's. One that has not become its program yet
// still is the daemon, by its arguments too.
func (w *watch) look(pid int) {
	read := func(name string) []byte {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		return b
	}
	cmdline := read("cmdline")
	argv := strings.Split(string(cmdline), "\x00")
	name := filepath.Base(argv[0])
	environ, limits := read("environ"), read("limits")
	if again := read("cmdline"); len(cmdline) == 0 || !bytes.Equal(again, cmdline) {
		return // it has ended, or is just becoming something else
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[name] = true
	fault := func(format string, args ...any) { w.found[name+": "+fmt.Sprintf(format, args...)] = true }
	if len(limits) > 0 && !coreLimit.Match(limits) {
		fault("it may leave a core file")
	}
	trusted := slices.Contains([]string{"voice-input", "vi-asr", "vi-refine"}, name)
	for _, s := range w.secrets {
		if bytes.Contains(cmdline, []byte(s.text)) {
			fault("%s is among its arguments", s.what)
		}
		if bytes.Contains(environ, []byte(s.text)) && !(s.key && trusted) {
			fault("%s is in its environment", s.what)
		}
	}
}

// holdsNone checks that text holds no secret.
func holdsNone(t testing.TB, where, text string, secrets []secret) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(strings.ToLower(text), strings.ToLower(s.text)) {
			t.Errorf("%s holds %s: %s", where, s.what, text)
		}
	}
}

// filesHoldNone checks every file below a directory but those of which a path
// may hold them, and returns what lies there.
func filesHoldNone(t testing.TB, dir string, secrets []secret, may ...string) (files []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		files = append(files, rel)
		if e.Type().IsRegular() && !slices.Contains(may, path) {
			b, _ := os.ReadFile(path)
			for _, s := range secrets {
				if bytes.Contains(b, []byte(s.text)) {
					t.Errorf("%s holds %s", rel, s.what)
				}
			}
		}
		return nil
	})
	return files
}
