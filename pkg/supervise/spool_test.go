package supervise

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func testSpool(t *testing.T) *spool {
	t.Helper()
	s, err := openSpool(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSpoolIsPrivate(t *testing.T) {
	s := testSpool(t)
	sm, err := s.create("a")
	if err != nil {
		t.Fatal(err)
	}
	defer sm.close()
	for path, want := range map[string]os.FileMode{s.dir: 0o700, filepath.Dir(s.dir): 0o700, s.path("a"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
	// A directory that others can look into is closed to them, one that is
	// not ours or not a directory is refused.
	loose := filepath.Join(t.TempDir(), "loose")
	os.Mkdir(loose, 0o755)
	if _, err := openSpool(loose); err != nil {
		t.Error(err)
	} else if info, _ := os.Stat(loose); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	link := filepath.Join(t.TempDir(), "link")
	os.Symlink(loose, link)
	if _, err := openSpool(link); err == nil {
		t.Error("a symbolic link was accepted as the runtime directory")
	}
}

func TestSpoolListsWhatNobodyHolds(t *testing.T) {
	s := testSpool(t)
	first, _ := s.create("20260101T000000.000001Z")
	second, _ := s.create("20260101T000000.000002Z")
	first.Write([]byte{1, 2})
	second.Write([]byte{3, 4, 5}) // cut in the middle of a sample
	if got := s.ids(); len(got) != 0 {
		t.Errorf("takes at hand are listed: %v", got)
	}
	first.close()
	second.release()
	want := []string{"20260101T000000.000001Z", "20260101T000000.000002Z"}
	if got := s.ids(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	again, err := s.open(want[1])
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if again.bytes() != 2 {
		t.Errorf("%d bytes, want the one whole sample", again.bytes())
	}
	if got := s.ids(); !slices.Equal(got, want[:1]) {
		t.Errorf("got %v, want %v", got, want[:1])
	}
}

func TestPruneKeepsTheNewest(t *testing.T) {
	s := testSpool(t)
	now, clock := 1000*time.Hour, time.Now()
	var ids []string
	for i := range spoolTakes + 3 {
		id := takeID(now+time.Duration(i)*time.Second, clock)
		ids = append(ids, id)
		os.WriteFile(s.path(id), make([]byte, 100), 0o600)
	}
	empty := takeID(now+time.Hour, clock)
	os.WriteFile(s.path(empty), nil, 0o600)
	s.prune(now)
	if got, want := s.ids(), ids[4:]; !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	// The clock may jump; what counts is the time since the machine started.
	os.Chtimes(s.path(ids[6]), clock.Add(-2*spoolAge), clock.Add(-2*spoolAge))
	s.prune(now + 5*time.Second + spoolAge)
	if got := s.ids(); !slices.Equal(got, ids[5:]) {
		t.Errorf("got %v\nwant %v", got, ids[5:])
	}
}

// Readers that start before, in the middle and after the writer all get every
// byte once.
func TestFollowersGetEveryByte(t *testing.T) {
	s := testSpool(t)
	sm, _ := s.create("a")
	defer sm.close()
	want := make([]byte, 300_000)
	for i := range want {
		want[i] = byte(i * 7)
	}
	var wg sync.WaitGroup
	follow := func(name string) {
		wg.Go(func() {
			var got bytes.Buffer
			if err := sm.copyTo(t.Context(), &got); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s: %d bytes, %v", name, got.Len(), err)
			}
		})
	}
	follow("before")
	for at := 0; at < len(want); at += 640 {
		sm.Write(want[at:min(at+640, len(want))])
		if at == 640*200 {
			follow("middle")
		}
	}
	sm.finish()
	follow("after")
	wg.Wait()
}

func TestFollowerEndsWithItsContext(t *testing.T) {
	sm, _ := testSpool(t).create("a")
	defer sm.close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- sm.copyTo(ctx, new(bytes.Buffer)) }()
	cancel()
	if err := <-done; err != context.Canceled {
		t.Error(err)
	}
}

// Ids are in order however the clock jumps, and are not made twice, not even by
// two daemons in the same microsecond.
func TestIDsSort(t *testing.T) {
	s := testSpool(t)
	var last string
	for i := range 100 {
		id := s.newID()
		if i > 0 && id <= last {
			t.Fatalf("%s does not sort after %s", id, last)
		}
		if at, ok := sinceBoot(id); !ok || at != s.last {
			t.Fatalf("%s is read as %v, %t", id, at, ok)
		}
		last = id
	}
	later := takeID(uptime()+time.Hour, time.Unix(0, 0)) // before the clock was set
	os.WriteFile(s.path(later), make([]byte, 2), 0o600)
	if id := s.newID(); id <= later {
		t.Errorf("%s does not sort after %s", id, later)
	}
	for _, id := range []string{"", "x", "20260101T000000.000001Z", "123-20260101T000000Z", "000000000000000x-20260101T000000Z"} {
		if _, ok := sinceBoot(id); ok {
			t.Errorf("%q has a time", id)
		}
	}
}
