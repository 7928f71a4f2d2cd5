package history

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// role names what the test binary does as a process of its own.
const role = "HISTORY_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	var prefix, path string
	var count, limit int
	fmt.Sscan(os.Getenv(role), &prefix, &count, &limit, &path)
	s := Open(path, Limits{Count: limit})
	// A disk that is full, for this process alone.
	if size := os.Getenv("HISTORY_TEST_FULL_AT"); size != "" {
		signal.Ignore(syscall.SIGXFSZ)
		var n uint64
		fmt.Sscan(size, &n)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
	switch prefix {
	case "copy":
		o := cli.OS()
		o.Args = []string{"voice-input", "history", "copy"}
		os.Exit(cli.Main(context.Background(), program(nil), o))
	case "look":
		fmt.Println(s.Add(context.Background(), &wire.History{ID: "x", Text: "x"}))
		entries, _, err := s.List(context.Background())
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(len(entries), "entry")
		_, err = s.Clear(context.Background(), 0)
		fmt.Println(err)
		return
	case "prune":
		fmt.Println(s.Prune(context.Background()))
	}
	for i := range count {
		id := fmt.Sprintf("%s%04d", prefix, i)
		if err := s.Add(context.Background(), &wire.History{ID: id, Text: strings.Repeat("x", 500)}); err != nil {
			fmt.Println("error", err)
			continue
		}
		fmt.Println("added", id)
		s.Delivered(context.Background(), id, &wire.Delivery{Delivered: true})
	}
}

// writer starts a process that adds entries and says so, line by line.
func writer(t *testing.T, s *Store, prefix string, count, limit int, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", fmt.Sprintf("%s=%s %d %d %s", role, prefix, count, limit, s.path)), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func said(s *bufio.Scanner) []string {
	var lines []string
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines
}

// Several processes at once lose nothing, although each line that is added
// makes one of them rewrite the file.
func TestProcessesAtOnce(t *testing.T) {
	s := newStore(t, Limits{})
	const each = 40
	var outs []*bufio.Scanner
	for _, prefix := range []string{"a", "b", "c"} {
		_, out := writer(t, s, prefix, each, each*3)
		outs = append(outs, out)
	}
	added := map[string]bool{}
	for _, out := range outs {
		for _, l := range said(out) {
			if id, ok := strings.CutPrefix(l, "added "); ok {
				added[id] = true
			} else if !strings.Contains(l, "no turn within") { // a loaded machine
				t.Error(l)
			}
		}
	}
	entries, bad, err := s.List(t.Context())
	if err != nil || bad > 0 || len(entries) != len(added) || len(added) == 0 {
		t.Fatalf("%d entries of %d, %d bad, %v", len(entries), len(added), bad, err)
	}
	for _, h := range entries {
		if !added[h.ID] || len(h.Text) != 500 {
			t.Errorf("%s with %d characters", h.ID, len(h.Text))
		}
	}
}

// A process that is killed at any moment leaves everything that it said was
// added, and a file that goes on.
func TestKilledWhileWriting(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := newStore(t, Limits{})
	const limit = 20
	var newest []string
	for round := range 25 {
		cmd, out := writer(t, s, fmt.Sprintf("r%02d-", round), 10_000, limit)
		for range 1 + random.IntN(15) {
			if !out.Scan() {
				t.Fatal("it ended by itself")
			}
			if id, ok := strings.CutPrefix(out.Text(), "added "); ok {
				newest = append(newest, id)
			}
		}
		time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
		cmd.Process.Kill()
		for _, l := range said(out) {
			if id, ok := strings.CutPrefix(l, "added "); ok {
				newest = append(newest, id)
			}
		}
		cmd.Wait()
		ids, bad := list(t, s)
		if want := newest[max(0, len(newest)-limit/2):]; bad > round+1 || !containsAll(strings.ReplaceAll(ids, "!", ""), want) {
			t.Fatalf("round %d: %d bad lines, %q lacks some of %q", round, bad, ids, want)
		}
	}
}

func containsAll(ids string, want []string) bool {
	for _, id := range want {
		if !strings.Contains(" "+ids+" ", " "+id+" ") {
			return false
		}
	}
	return true
}

// A full disk costs the entry at hand and nothing else, and once there is room
// again everything goes on.
func TestDiskFull(t *testing.T) {
	s := newStore(t, Limits{})
	mustAdd(t, s, "before")
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	_, out := writer(t, s, "full", 3, 100, fmt.Sprintf("HISTORY_TEST_FULL_AT=%d", len(before)+100))
	lines := said(out)
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "error cannot add to the history: cannot write") {
		t.Errorf("the process said %q", lines)
	}
	for _, l := range lines {
		if strings.Contains(l, "xxx") {
			t.Errorf("the error holds the text: %s", l)
		}
	}
	if after, _ := os.ReadFile(s.path); string(after) != string(before) {
		t.Errorf("the file has %d bytes, had %d", len(after), len(before))
	}
	mustAdd(t, s, "after")
	wantList(t, s, "before after", 0)
	// A rewrite for which there is no room leaves the old file.
	_, out = writer(t, s, "prune", 0, 1, "HISTORY_TEST_FULL_AT=10")
	if lines := said(out); len(lines) != 1 || !strings.Contains(lines[0], "cannot rewrite") {
		t.Errorf("the process said %q", lines)
	}
	wantList(t, s, "before after", 0)
	if _, err := os.Lstat(s.path + newExt); err == nil {
		t.Error("half a file is left")
	}
}

// In a directory that cannot be written to, what is there can still be read.
func TestReadOnlyDirectory(t *testing.T) {
	s := newStore(t, Limits{})
	mustAdd(t, s, "a")
	dir := filepath.Dir(s.path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	// That the directory is made private again must not help either.
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	argv := []string{os.Args[0]}
	if os.Getuid() == 0 { // whom no mode stops
		argv = append([]string{"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", fmt.Sprintf("%s=look 0 0 %s", role, s.path))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) != 4 || !strings.Contains(lines[0], "permission denied") || lines[1] != "1 entry" {
		t.Errorf("%v, said %q", err, out)
	}
	if !strings.Contains(lines[2], "permission denied") {
		t.Errorf("Clear: %s", lines[2])
	}
	wantList(t, s, "a", 0)
}
