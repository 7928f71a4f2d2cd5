package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
)

// partSuffix ends the names of what is not complete yet.
const partSuffix = ".part"

// Store is the directory that holds the models, each in a directory of its
// name.
type Store struct{ Dir string }

// Path is where a model lies once it is there.
func (s Store) Path(name string) string { return filepath.Join(s.Dir, name) }

// Has tells whether every file of the model is there with its size. The
// hashes were checked before the directory got its name.
func (s Store) Has(m *Model) bool {
	for _, f := range m.Files {
		st, err := os.Stat(filepath.Join(s.Path(m.Name), f.Name))
		if err != nil || !st.Mode().IsRegular() || st.Size() != f.Size {
			return false
		}
	}
	return true
}

// Verify reads every file of the model and returns an error for the first
// that is not what the manifest says.
func (s Store) Verify(ctx context.Context, m *Model) error {
	for _, f := range m.Files {
		if err := check(ctx, filepath.Join(s.Path(m.Name), f.Name), f); err != nil {
			return err
		}
	}
	return nil
}

// errMismatch says that a file has another size or hash than it should.
var errMismatch = errors.New("it is not the file that the manifest describes (size or SHA-256 differ)")

func check(ctx context.Context, path string, f File) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	n, err := io.Copy(h, reader{ctx, file})
	if err != nil {
		return fmt.Errorf("cannot read %q: %w", path, err)
	}
	if n != f.Size || hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%q: %w", path, errMismatch)
	}
	return nil
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// source brings the content of one file of a model. It is given the open
// partial file and brings it to f.Size bytes; what it returns is final.
type source func(ctx context.Context, part *os.File, f File) error

// Install puts a model in its place. Each file is brought by src, checked,
// and only when all of them are right does the directory get its name. What is
// complete stays for the next time if another file fails.
func (s Store) Install(ctx context.Context, m *Model, src source) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return cli.Errorf(cli.StatusCantCreate, "cannot make the directory of models: %w", err)
	}
	stage := filepath.Join(s.Dir, "."+m.Name+partSuffix)
	unlock, err := lock(stage)
	if err != nil {
		return err
	}
	defer unlock()
	for _, f := range m.Files {
		if err := s.bring(ctx, stage, f, src); err != nil {
			return err
		}
	}
	return s.publish(stage, m.Name)
}

// lock makes the staging directory and keeps other runs out of it. An empty
// one is removed again by unlock.
func lock(stage string) (unlock func(), err error) {
	if err := os.Mkdir(stage, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, cli.Errorf(cli.StatusCantCreate, "cannot make %q: %w", stage, err)
	}
	dir, err := os.Open(stage)
	if err != nil {
		return nil, cli.Errorf(cli.StatusCantCreate, "cannot open %q: %w", stage, err)
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		dir.Close()
		return nil, cli.Errorf(cli.StatusTempFail, "cannot fetch into %q: another program is doing that", stage)
	}
	return func() {
		os.Remove(stage) // fails while it holds something to go on with
		dir.Close()
	}, nil
}

func (s Store) bring(ctx context.Context, stage string, f File, src source) error {
	done := filepath.Join(stage, f.Name)
	if check(ctx, done, f) == nil {
		return nil
	}
	path := done + partSuffix
	part, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return cli.Errorf(cli.StatusCantCreate, "cannot create %q: %w", path, err)
	}
	defer part.Close()
	if err := src(ctx, part, f); err != nil {
		if st, statErr := part.Stat(); statErr == nil && st.Size() == 0 {
			os.Remove(path)
		}
		return err
	}
	if err := errors.Join(part.Sync(), os.Rename(path, done)); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot complete %q: %w", done, err)
	}
	return nil
}

// publish gives the staging directory the model's name. A damaged model that
// has the name already is moved out of the way first.
func (s Store) publish(stage, name string) error {
	old := filepath.Join(s.Dir, "."+name+".old")
	if err := os.RemoveAll(old); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot remove %q: %w", old, err)
	}
	if err := os.Rename(s.Path(name), old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Errorf(cli.StatusIO, "cannot replace %q: %w", s.Path(name), err)
	}
	if err := os.Rename(stage, s.Path(name)); err != nil {
		return cli.Errorf(cli.StatusIO, "cannot complete %q: %w", s.Path(name), err)
	}
	if dir, err := os.Open(s.Dir); err == nil {
		dir.Sync() // so that the name outlives a power cut; not all file systems can
		dir.Close()
	}
	return os.RemoveAll(old)
}

// fromDisk is the source that copies files that are here already, from a
// directory or from the one file itself.
func fromDisk(from string) source {
	return func(ctx context.Context, part *os.File, f File) error {
		path := from
		if st, err := os.Stat(from); err != nil {
			return cli.Errorf(cli.StatusNoInput, "cannot read %q: %w", from, err)
		} else if st.IsDir() {
			path = filepath.Join(from, f.Name)
		}
		file, err := os.Open(path)
		if err != nil {
			return cli.Errorf(cli.StatusNoInput, "cannot read %q: %w", path, err)
		}
		defer file.Close()
		sum := sha256.New()
		if err := part.Truncate(0); err != nil {
			return writeError(part, err)
		}
		// One byte more than is right is enough to know that it is wrong.
		n, err := io.Copy(io.MultiWriter(partWriter{part}, sum), io.LimitReader(reader{ctx, file}, f.Size+1))
		var failed *cli.Error
		switch {
		case errors.As(err, &failed):
			return failed
		case err != nil:
			part.Truncate(0)
			return cli.Errorf(cli.StatusIO, "cannot read %q: %w", path, err)
		case n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
			part.Truncate(0)
			return cli.Errorf(cli.StatusData, "cannot use %q: %w", path, errMismatch)
		}
		return nil
	}
}

// partWriter writes to a partial file and frees the disk if it is full.
type partWriter struct{ part *os.File }

func (w partWriter) Write(b []byte) (int, error) {
	n, err := w.part.Write(b)
	if err != nil {
		return n, writeError(w.part, err)
	}
	return n, nil
}

func writeError(part *os.File, err error) error {
	e := cli.Errorf(cli.StatusIO, "cannot write %q: %w", part.Name(), err)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		part.Truncate(0)
		return e.WithHint("make room on the disk; what was fetched of this file was removed")
	}
	return e
}
