package vocabulary

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Name is the name of a vocabulary file.
const Name = "vocabulary.toml"

// ProjectFile returns the path of the vocabulary that belongs to the project
// that dir is in: .voice-input/vocabulary.toml in dir or the nearest directory
// above it. It is "" if there is none. Directories of other users are not
// looked into; the search ends at the first.
func ProjectFile(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != os.Getuid() {
			return ""
		}
		path := filepath.Join(dir, ".voice-input", Name)
		if _, err := os.Lstat(path); err == nil {
			return path
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// A File is a vocabulary file that is read again when it changes. It is not
// safe for concurrent use.
type File struct {
	Path string

	read  bool
	stamp stamp
	list  List
	err   error
}

// stamp tells two states of a file apart without reading it.
type stamp struct {
	dev, inode, size uint64
	mtime, ctime     unix.Timespec
	mode, uid        uint32
}

// FileError says what is wrong with a file, with the lines.
type FileError struct {
	Path     string
	Problems []Problem // empty if the file could not be read at all
	Err      error     // why not
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("cannot read vocabulary %q: %v", e.Path, e.Err)
	}
	text := ""
	for i, p := range e.Problems {
		if i > 0 {
			text += "\n"
		}
		text += e.Path + ":" + p.String()
	}
	return text
}

func (e *FileError) Unwrap() error { return e.Err }

// Reasons why a file is not read.
var (
	ErrOwner   = errors.New("it belongs to another user")
	ErrWritten = errors.New("others may write to it")
	ErrKind    = errors.New("it is not a regular file")
	ErrSize    = errors.New("it is larger than 1 MiB")
)

// Load returns what the file says. It is read again only if it has changed
// since the last time; then changed is true. A missing file is an empty list.
// The error is a *FileError; what is right in the file is returned beside it.
func (f *File) Load() (list List, changed bool, err error) {
	var st unix.Stat_t
	now := stamp{}
	if unix.Stat(f.Path, &st) == nil {
		now = stamp{uint64(st.Dev), st.Ino, uint64(st.Size), st.Mtim, st.Ctim, st.Mode, st.Uid}
	}
	if f.read && now == f.stamp {
		return f.list, false, f.err
	}
	f.list, f.err = load(f.Path)
	f.stamp, f.read = now, true
	return f.list, true, f.err
}

func load(path string) (List, error) {
	data, err := readOwn(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return List{}, nil
	case err != nil:
		return List{}, &FileError{Path: path, Err: err}
	}
	list, problems := Parse(data)
	if len(problems) > 0 {
		return list, &FileError{Path: path, Problems: problems}
	}
	return list, nil
}

// readOwn reads a regular file of this user that nobody else can write to. The
// checks are made on the open file, so that it cannot be exchanged.
func readOwn(path string) ([]byte, error) {
	// A FIFO must not block the program.
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, ErrKind
	// The files of a system that cannot be written to, such as a Nix store, are
	// root's.
	case int(st.Uid) != os.Getuid() && st.Uid != 0:
		return nil, ErrOwner
	case st.Mode&0o022 != 0:
		return nil, ErrWritten
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = ErrSize
	}
	return data, err
}
