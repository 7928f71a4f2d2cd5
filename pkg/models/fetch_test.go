package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
)

// server serves one file, and misbehaves as a test wants.
type server struct {
	*httptest.Server
	content []byte
	cut     int  // bytes after which the first answers break off
	cuts    int  // how many answers break off
	noRange bool // answers 200 to a request for a part

	mu     sync.Mutex
	ranges []string // Range of every request
}

func newServer(t *testing.T, s *server) (*server, Model, *Fetcher) {
	t.Helper()
	s.content = bytes.Repeat([]byte("0123456789abcdef"), 40_000) // 640 kB, several reads
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	d := NewFetcher(s.Client().Transport)
	d.Pause = time.Millisecond
	return s, modelOf("m", s.content, s.URL+"/f.bin"), d
}

func modelOf(name string, content []byte, url string) Model {
	sum := sha256.Sum256(content)
	return Model{Name: name, Engine: "whisper", Licence: "MIT", Files: []File{{
		Name: "f.bin", URL: url, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
	}}}
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	broken := s.cuts > 0
	s.cuts--
	s.mu.Unlock()
	if s.noRange {
		r.Header.Del("Range")
	}
	if broken {
		w = &breaking{w, s.cut}
	}
	http.ServeContent(w, r, "f.bin", time.Time{}, bytes.NewReader(s.content))
}

// breaking drops the connection after some bytes of the body.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.ResponseWriter.Write(p[:b.left])
		http.NewResponseController(b.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}

// checkStore compares what is in the store with what should be.
func checkStore(t *testing.T, s Store, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	filepath.WalkDir(s.Dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(s.Dir, path)
			st, _ := e.Info()
			got[name] = int(st.Size())
		}
		return nil
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("store holds %v, want %v", got, want)
	}
}

func status(t *testing.T, err error, want cli.Status) {
	t.Helper()
	if got := cli.StatusOf(err); got != want {
		t.Errorf("status %d (%v), want %d", got, err, want)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	const size = 640_000
	whole := map[string]int{"m/f.bin": size}
	tests := []struct {
		name   string
		server server
		ranges int
	}{
		{"at once", server{}, 1},
		{"goes on after a break", server{cuts: 1, cut: 200_000}, 2},
		{"goes on after many breaks", server{cuts: 8, cut: 70_000}, 9},
		{"starts again without ranges", server{cuts: 1, cut: 200_000, noRange: true}, 2},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m, d := newServer(t, &tt.server)
			store := Store{filepath.Join(t.TempDir(), "models")}
			var last int64
			d.Progress = func(_ File, have int64) { last = have }
			if err := store.Install(t.Context(), &m, d.Fetch); err != nil {
				t.Fatal(err)
			}
			checkStore(t, store, whole)
			if err := store.Verify(t.Context(), &m); err != nil || !store.Has(&m) {
				t.Errorf("Verify: %v", err)
			}
			if last != size || len(s.ranges) != tt.ranges {
				t.Errorf("progress ended at %d; requests %q, want %d", last, s.ranges, tt.ranges)
			}
			if st, _ := os.Stat(filepath.Join(store.Path("m"), "f.bin")); st.Mode().Perm()&0o133 != 0 {
				t.Errorf("mode %v", st.Mode())
			}
		})
	}
}

// TestNextRun goes on with what an earlier run of the program left.
func TestNextRun(t *testing.T) {
	t.Parallel()
	s, m, d := newServer(t, &server{cuts: 1, cut: 300_000})
	store := Store{t.TempDir()}
	d.Attempts = 1
	err := store.Install(t.Context(), &m, d.Fetch)
	status(t, err, cli.StatusTempFail)
	part := filepath.Join(store.Dir, ".m.part", "f.bin.part")
	st, err := os.Stat(part)
	if err != nil || st.Size() == 0 || store.Has(&m) {
		t.Fatalf("after the break: %v, %v", st, err)
	}
	if err := store.Install(t.Context(), &m, d.Fetch); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bytes=%d-", st.Size()); s.ranges[1] != want {
		t.Errorf("second request for %q, want %q", s.ranges[1], want)
	}
	checkStore(t, store, map[string]int{"m/f.bin": len(s.content)})
}

func TestFetchRefused(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tests := []struct {
		name  string
		serve http.HandlerFunc
		want  cli.Status
	}{
		{"another file of that size", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 640_000)) }, cli.StatusProtocol},
		{"a larger file", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 700_000)) }, cli.StatusProtocol},
		{"a smaller file", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("sign in first")) }, cli.StatusProtocol},
		{"another part", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-9/640000")
			w.WriteHeader(http.StatusPartialContent)
		}, cli.StatusUnavailable},
		{"nothing there", http.NotFound, cli.StatusUnavailable},
		{"overloaded", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, cli.StatusTempFail},
		{"redirect to http", http.RedirectHandler(plain.URL, http.StatusFound).ServeHTTP, cli.StatusProtocol},
		{"redirect in a circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, cli.StatusTempFail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, d := newServer(t, &server{})
			s := httptest.NewTLSServer(tt.serve)
			t.Cleanup(s.Close)
			m.Files[0].URL = s.URL
			d.client.Transport = s.Client().Transport
			d.Attempts = 2
			store := Store{t.TempDir()}
			err := store.Install(t.Context(), &m, d.Fetch)
			if tt.name == "a smaller file" {
				// Broken connections look the same; it is tried again, then given up.
				tt.want = cli.StatusTempFail
			}
			status(t, err, tt.want)
			if store.Has(&m) {
				t.Error("the model is said to be there")
			}
			if tt.want != cli.StatusTempFail {
				checkStore(t, store, map[string]int{})
			}
		})
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	_, m, d := newServer(t, &server{})
	release := make(chan struct{})
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "640000")
		w.Write([]byte("x"))
		http.NewResponseController(w).Flush()
		<-release
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	m.Files[0].URL, d.client.Transport, d.Stall, d.Attempts = s.URL, s.Client().Transport, 20*time.Millisecond, 1
	store := Store{t.TempDir()}
	status(t, store.Install(t.Context(), &m, d.Fetch), cli.StatusTempFail)
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	s, m, d := newServer(t, &server{})
	ctx, cancel := context.WithCancel(t.Context())
	d.Progress = func(File, int64) { cancel() }
	store := Store{t.TempDir()}
	if err := store.Install(ctx, &m, d.Fetch); !errors.Is(err, context.Canceled) {
		t.Errorf("Install: %v", err)
	}
	if store.Has(&m) {
		t.Error("the model is said to be there")
	}
	d.Progress = func(File, int64) {}
	if err := store.Install(t.Context(), &m, d.Fetch); err != nil {
		t.Fatal(err)
	}
	checkStore(t, store, map[string]int{"m/f.bin": len(s.content)})
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, err = (partWriter{full}).Write([]byte("x"))
	status(t, err, cli.StatusIO)
	if !errors.Is(err, unix.ENOSPC) {
		t.Errorf("write to a full disk: %v", err)
	}
	part, err := os.Create(filepath.Join(t.TempDir(), "p"))
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	status(t, room(part, 1<<60), cli.StatusIO)
	if err := room(part, 1); err != nil {
		t.Errorf("room for one byte: %v", err)
	}
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	_, m, d := newServer(t, &server{})
	store := Store{t.TempDir()}
	var inner error
	d.Progress = func(File, int64) {
		if inner == nil {
			inner = store.Install(t.Context(), &m, d.Fetch)
		}
	}
	if err := store.Install(t.Context(), &m, d.Fetch); err != nil {
		t.Fatal(err)
	}
	status(t, inner, cli.StatusTempFail)
}

// TestRepair replaces a model whose file was changed.
func TestRepair(t *testing.T) {
	t.Parallel()
	s, m, d := newServer(t, &server{})
	store := Store{t.TempDir()}
	if err := os.MkdirAll(store.Path("m"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Path("m"), "f.bin"), make([]byte, len(s.content)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := store.Verify(t.Context(), &m); !errors.Is(err, errMismatch) {
		t.Errorf("Verify: %v", err)
	}
	if err := store.Install(t.Context(), &m, d.Fetch); err != nil {
		t.Fatal(err)
	}
	checkStore(t, store, map[string]int{"m/f.bin": len(s.content)})
	if err := store.Verify(t.Context(), &m); err != nil {
		t.Errorf("Verify: %v", err)
	}
}
