package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"
)

// The registry's format is docs/pi-registry.md.
const (
	registrySchema = "vi.pi-session/1"
	maxRegistry    = 64 << 10
)

// piEntry is what a Pi process has published of its session.
type piEntry struct {
	pid       int
	ticks     uint64
	mode      string
	id        string
	file, dir string
	leaf      string // "" before the first entry
}

// parseRegistry reads a registry file. Whatever is not as agreed makes all of
// it invalid: it decides which file is read.
func parseRegistry(b []byte) (piEntry, error) {
	const invalid = Nothing("registry_invalid")
	if !gjson.ValidBytes(b) {
		return piEntry{}, invalid
	}
	rec := gjson.ParseBytes(b)
	if schema := rec.Get("schema"); schema.Type != gjson.String || !strings.HasPrefix(schema.Str, "vi.pi-session/") {
		return piEntry{}, invalid
	} else if schema.Str != registrySchema {
		return piEntry{}, Nothing("registry_version")
	}
	pid, ticks, leaf := rec.Get("pid"), rec.Get("start_ticks"), rec.Get("leaf_id")
	for _, member := range []string{"mode", "session_id", "session_file", "session_dir"} {
		if v := rec.Get(member); v.Type != gjson.String || v.Str == "" {
			return piEntry{}, invalid
		}
	}
	e := piEntry{
		pid: int(pid.Int()), ticks: ticks.Uint(), mode: rec.Get("mode").Str, id: rec.Get("session_id").Str,
		file: rec.Get("session_file").Str, dir: rec.Get("session_dir").Str, leaf: leaf.Str,
	}
	switch {
	case pid.Type != gjson.Number || ticks.Type != gjson.Number,
		leaf.Type != gjson.String && leaf.Type != gjson.Null || !leaf.Exists() || leaf.Type == gjson.String && leaf.Str == "",
		!filepath.IsAbs(e.file), !filepath.IsAbs(e.dir):
		return piEntry{}, invalid
	}
	return e, nil
}

// registry reads what the process p has published.
func (f *Finder) registry(p *process) (piEntry, error) {
	file, err := openFile(filepath.Join(f.RuntimeDir, "agent-sessions", fmt.Sprintf("pi-%d.json", p.pid)), p.uid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return piEntry{}, Nothing("not_registered")
	case err != nil:
		return piEntry{}, Nothing("registry_invalid")
	}
	defer file.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil || st.Mode&0o077 != 0 || st.Size > maxRegistry {
		return piEntry{}, Nothing("registry_invalid")
	}
	b, err := io.ReadAll(io.LimitReader(file, maxRegistry))
	if err != nil {
		return piEntry{}, err
	}
	e, err := parseRegistry(b)
	switch {
	case err != nil:
		return piEntry{}, err
	case e.pid != p.pid || e.ticks != p.ticks:
		return piEntry{}, Nothing("registry_stale")
	case e.mode != "tui":
		return piEntry{}, Nothing("not_cli")
	}
	return e, nil
}

// pi finds and reads the session of a focused Pi process.
func (f *Finder) pi(ctx context.Context, s *search, p *process) (answer, error) {
	if native, script, err := p.runs("pi"); err != nil {
		return answer{}, err
	} else if !native && !script {
		return answer{}, Nothing("wrong_process")
	}
	e, err := f.registry(p)
	if err != nil {
		return answer{}, err
	}
	f.explain("pi: the process has published its session")
	path, err := p.piFile(e)
	if err != nil {
		return answer{}, err
	}
	file, err := openFile(path, p.uid)
	if err != nil {
		return answer{}, err
	}
	defer file.Close()
	a := answer{}
	h, err := readPiHeader(file)
	if err != nil {
		return a, err
	}
	if h.id != e.id {
		return a, Nothing("header_mismatch")
	}
	a.session = file.record(h.id)
	if e.leaf == "" {
		return a, Nothing("no_completed_answer")
	}
	a.text, err = s.readPi(ctx, file, h, e.leaf)
	f.explain("read: %d bytes searched, now making sure that it is still the same process and file", s.win.scanned)
	for _, check := range []func() error{p.after, file.unchanged, func() error { return f.republished(p, e) }} {
		if changed := check(); changed != nil {
			return a, changed
		}
	}
	return a, err
}

// republished returns an error if the process has published another session
// since.
func (f *Finder) republished(p *process, before piEntry) error {
	if now, err := f.registry(p); err != nil || now.id != before.id || now.file != before.file {
		return Nothing("changed_while_reading")
	}
	return nil
}

// piFile returns the canonical path of a published session. It must lie where
// this very process keeps its sessions: in the directory that it names, which
// options and settings can put anywhere, or in that of its agent folder, where
// a session of another project may have been opened.
func (p *process) piFile(e piEntry) (string, error) {
	path, err := canonical(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", Nothing("not_started")
	}
	if err != nil {
		return "", err
	}
	agent, err := p.env("PI_CODING_AGENT_DIR")
	if err != nil {
		return "", err
	}
	home, err := p.env("HOME")
	if err != nil {
		return "", err
	}
	if agent == "" {
		agent = "~/.pi/agent"
	}
	if rest, below := strings.CutPrefix(agent, "~/"); below {
		agent = filepath.Join(home, rest)
	}
	for _, dir := range []string{e.dir, filepath.Join(agent, "sessions")} {
		if dir, err := canonical(dir); err == nil && within(path, dir) {
			return path, nil
		}
	}
	return "", Nothing("outside_sessions")
}

// piHeader is the first line of a Pi session.
type piHeader struct {
	id      string
	version int64
}

func readPiHeader(f *file) (piHeader, error) {
	line, err := f.header()
	if err != nil {
		return piHeader{}, err
	}
	return parsePiHeader(line)
}

func parsePiHeader(line []byte) (piHeader, error) {
	rec := gjson.ParseBytes(line)
	h := piHeader{rec.Get("id").Str, 1}
	if v := rec.Get("version"); v.Exists() {
		h.version = v.Int()
	}
	if !gjson.ValidBytes(line) || rec.Get("type").Str != "session" || h.id == "" || h.version < 1 {
		return piHeader{}, Nothing("schema_unrecognised")
	}
	return h, nil
}

// readPi returns the newest completed answer of the branch that ends at leaf,
// or at the last entry for "".
func (s *search) readPi(ctx context.Context, f *file, h piHeader, leaf string) (string, error) {
	branch := newPiBranch(h, leaf)
	found, err := s.walk(ctx, f, f.size, branch)
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", Nothing(branch.reason())
	}
	return branch.text(), nil
}
