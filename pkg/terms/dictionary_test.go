package terms

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// copyDictionary returns a directory with copies of the dictionaries.
func copyDictionary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shareDir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDictionaryThatCannotBeUsed(t *testing.T) {
	const text = "`lsp-client` 的线程池"
	tests := []struct {
		name string
		harm func(dir string) error
		want error
	}{
		{"no directory", func(dir string) error { return os.RemoveAll(dir) }, fs.ErrNotExist},
		{"a file is missing", func(dir string) error { return os.Remove(filepath.Join(dir, "hmm_model.utf8")) }, fs.ErrNotExist},
		{"a file is empty", func(dir string) error { return os.Truncate(filepath.Join(dir, "idf.utf8"), 0) }, ErrDamaged},
		{"a file is cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "jieba.dict.utf8"), 100_000) }, ErrDamaged},
		{"a line is malformed", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "user.dict.utf8"), []byte("C++ 3 n extra\n\xff\n"), 0o600)
		}, ErrDamaged},
		{"a directory", func(dir string) error {
			path := filepath.Join(dir, "stop_words.utf8")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := copyDictionary(t)
			if err := tt.harm(dir); err != nil {
				t.Fatal(err)
			}
			d := NewDictionary([]string{dir})
			for range 2 {
				s, err := Rank(t.Context(), d, text, 500)
				if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
					t.Errorf("the error is %v, want %v", err, tt.want)
				}
				if len(s.Terms) != 1 || s.Terms[0].Text != "lsp-client" {
					t.Errorf("the terms are %v", s.Terms)
				}
			}
			// Without Han characters there is nothing to complain about.
			if _, err := Rank(t.Context(), d, "`lsp-client`", 500); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDictionaryDirs(t *testing.T) {
	program := filepath.Join(t.TempDir(), "bin", "vi-terms")
	up := filepath.Join(filepath.Dir(program), "..", "share")
	for _, tt := range []struct{ dir, share, want string }{
		{"/d", "/s", "/d"},
		{"", "/s", "/s/jieba"},
		{"", "", filepath.Join(up, "voice-input", "jieba") + " " + filepath.Join(up, "jieba")},
	} {
		if got := strings.Join(DictionaryDirs(tt.dir, tt.share, program), " "); got != tt.want {
			t.Errorf("DictionaryDirs(%q, %q) = %q, want %q", tt.dir, tt.share, got, tt.want)
		}
	}
}

func TestTextWithoutHanLoadsNothing(t *testing.T) {
	d := NewDictionary([]string{"/nonexistent"})
	for _, text := range []string{"", "`lsp-client` and C++", "서버 재시작", "サーバーの音声認識", "说 `x_y`"} {
		if _, err := Rank(t.Context(), d, text, 500); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	d := NewDictionary([]string{shareDir})
	const text = "用 `lsp-client` 的线程池处理请求，缓存命中率很高。"
	want := strings.Join(rank(t, text), "\n")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				s, err := Rank(t.Context(), d, text, 500)
				if err != nil {
					t.Error(err)
					return
				}
				var got []string
				for _, term := range s.Terms {
					got = append(got, term.Text)
				}
				if strings.Join(got, "\n") != want {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

// resident returns the resident memory of this process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// The segmenter's memory is C's, which no collector tidies up.
func TestMemoryIsSteady(t *testing.T) {
	text := strings.Repeat("用 `lsp-client` 的线程池处理请求，缓存命中率很高。\n", 8)
	run := func(n int) {
		for range n {
			if _, err := Rank(t.Context(), dictionary, text, DefaultSource); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(2000)
	before := resident(t)
	run(8000)
	// A leak of the words of a text would show as 20 MiB and more.
	if grown := resident(t) - before; grown > 16<<20 {
		t.Errorf("8000 records took %d KiB", grown>>10)
	}
}

// The dictionaries and their sums are those that the script makes.
func TestDictionariesAreReproducible(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("./make-dictionary", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadFile(filepath.Join(dir, "pkg/terms/jieba.sums"))
	if err != nil || string(made) != sums {
		t.Errorf("jieba.sums is not up to date: %v", err)
	}
	entries, err := os.ReadDir(shareDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want, err := os.ReadFile(filepath.Join(dir, "share/jieba", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(shareDir, e.Name())); err != nil || string(got) != string(want) {
			t.Errorf("%s is not up to date: %v", e.Name(), err)
		}
	}
}
