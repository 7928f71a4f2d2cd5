package terms

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/yanyiwu/gojieba"
)

// sums are the checksums of the dictionaries. make-dictionary writes both.
//
//go:embed jieba.sums
var sums string

// files are the dictionaries in the order in which gojieba takes them.
var files = []string{"jieba.dict.utf8", "hmm_model.utf8", "user.dict.utf8", "idf.utf8", "stop_words.utf8"}

// ErrDamaged says that a dictionary is not the one that this program was built
// with.
var ErrDamaged = errors.New("it is damaged or of another version")

// A Dictionary cuts Han text into words. It is loaded when the first such text
// comes, once, and stays: a program that sees none needs a tenth of the
// memory. It is safe for concurrent use.
type Dictionary struct {
	dirs []string

	once   sync.Once
	loaded chan struct{}
	jieba  *gojieba.Jieba
	err    error
}

// NewDictionary returns the dictionary in the first of the directories that
// has one. Nothing is read yet.
func NewDictionary(dirs []string) *Dictionary {
	return &Dictionary{dirs: dirs, loaded: make(chan struct{})}
}

// DictionaryDirs returns where the dictionaries are looked for: in dir alone if
// it is not empty, else in $VI_SHARE/jieba if share, the variable's value, is
// not empty, else beside the program.
func DictionaryDirs(dir, share, program string) []string {
	switch {
	case dir != "":
		return []string{dir}
	case share != "":
		return []string{filepath.Join(share, "jieba")}
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	up := filepath.Join(filepath.Dir(program), "..", "share")
	return []string{filepath.Join(up, "voice-input", "jieba"), filepath.Join(up, "jieba")}
}

// Cut returns the words of text in order. The error wraps fs.ErrNotExist for a
// missing dictionary, ErrDamaged for a damaged one; it stays the same. The
// first call loads the dictionary; ctx bounds how long it waits for that.
func (d *Dictionary) Cut(ctx context.Context, text string) ([]string, error) {
	d.once.Do(func() { go d.load() })
	select {
	case <-d.loaded:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if d.err != nil {
		return nil, d.err
	}
	// gojieba returns nothing for a text that is not UTF-8 and stops at a NUL;
	// fold has seen to both. Tokenize is its Cut that copies no words.
	found := d.jieba.Tokenize(text, gojieba.DefaultMode, true)
	words := make([]string, len(found))
	for i, w := range found {
		words[i] = w.Str
	}
	return words, nil
}

func (d *Dictionary) load() {
	defer close(d.loaded)
	dir, err := d.find()
	if err == nil {
		err = verify(dir)
	}
	if err != nil {
		d.err = err
		return
	}
	paths := make([]string, len(files))
	for i, name := range files {
		paths[i] = filepath.Join(dir, name)
	}
	d.jieba = gojieba.NewJieba(paths...)
}

func (d *Dictionary) find() (string, error) {
	for _, dir := range d.dirs {
		if _, err := os.Stat(filepath.Join(dir, files[0])); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("cannot find the dictionary %q: %w", filepath.Join(d.dirs[0], files[0]), fs.ErrNotExist)
}

// verify compares the files with their checksums. The C++ code of the
// segmenter ends the process when it finds a file that it does not like.
func verify(dir string) error {
	for line := range strings.Lines(sums) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		path := filepath.Join(dir, name)
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("cannot open the dictionary %q: %w", path, errors.Unwrap(err))
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		f.Close()
		if err == nil && hex.EncodeToString(sum.Sum(nil)) != want {
			err = ErrDamaged
		}
		if err != nil {
			return fmt.Errorf("cannot use the dictionary %q: %w", path, err)
		}
	}
	return nil
}
