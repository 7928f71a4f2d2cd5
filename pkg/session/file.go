package session

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"voice-input/pkg/wire"
)

// maxHeader bounds a session's first line. Codex puts its instructions there,
// 22 KB at this time.
const maxHeader = 1 << 20

// file is a session file, opened once: all that is asked of it is asked of
// the same descriptor.
type file struct {
	*os.File
	path    string
	id      identity
	size    int64
	written time.Time // the last time
}

// identity is what a file is, whatever its name.
type identity struct{ device, inode uint64 }

// openFile opens a regular file of the user. It follows no link in the last
// part of the path and does not wait for a FIFO's writer.
func openFile(path string, uid int) (*file, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, Nothing("outside_sessions")
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = Nothing("unreadable")
	case uid != anyUser && int(st.Uid) != uid:
		err = Nothing("other_user")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &file{File: f, path: path, id: identity{uint64(st.Dev), st.Ino}, size: st.Size, written: time.Unix(st.Mtim.Unix())}, nil
}

// identityOf returns what lies at a path now. A link is followed: those below
// /proc lead to the file itself.
func identityOf(path string) (identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return identity{}, err
	}
	return identity{uint64(st.Dev), st.Ino}, nil
}

// unchanged returns an error unless the path still leads to the file and it
// has not become shorter, as it does when it is written anew.
func (f *file) unchanged() error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Size < f.size {
		return Nothing("changed_while_reading")
	}
	if now, err := identityOf(f.path); err != nil || now != f.id {
		return Nothing("changed_while_reading")
	}
	return nil
}

// header returns the first line.
func (f *file) header() ([]byte, error) {
	if f.size == 0 {
		return nil, Nothing("not_started")
	}
	var line []byte
	for n := block; ; n = maxHeader {
		line = make([]byte, min(int64(n), f.size))
		if _, err := f.ReadAt(line, 0); err == io.EOF {
			return nil, Nothing("changed_while_reading")
		} else if err != nil {
			return nil, err
		}
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return trim(line[:i]), nil
		}
		if n == maxHeader || int64(n) >= f.size {
			break
		}
	}
	if int64(len(line)) < f.size {
		return nil, Nothing("schema_unrecognised")
	}
	if line = trim(line); !gjson.ValidBytes(line) {
		return nil, Nothing("changed_while_reading") // it is being written
	}
	return line, nil
}

// trim takes away white space and a byte order mark.
func trim(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
}

// record says which file it is.
func (f *file) record(sessionID string) *wire.SessionFile {
	return &wire.SessionFile{ID: strings.ToValidUTF8(sessionID, "\ufffd"), Path: strings.ToValidUTF8(f.path, "\ufffd"), Device: f.id.device, Inode: f.id.inode}
}

// canonical returns a path without links, and fs.ErrNotExist if it leads
// nowhere.
func canonical(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fs.ErrNotExist
	}
	return filepath.EvalSymlinks(path)
}

// within tells whether a canonical path lies below a canonical directory.
func within(path, dir string) bool {
	return dir != "" && strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
