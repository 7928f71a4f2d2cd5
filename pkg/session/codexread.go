package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBases bounds the files that one session goes on from, so that a circle of
// them ends.
const maxBases = 64

// readCodex returns the newest completed answer of a rollout. If it holds
// none and goes on from another file, as after a fork or a rewind, the search
// goes on there, before the offset that the header gives.
func (s *search) readCodex(ctx context.Context, f *file, h codexHeader) (string, error) {
	turns := &codexTurns{}
	end := f.size
	for range maxBases {
		found, err := s.walk(ctx, f, end, turns)
		if err != nil && err != error(Nothing("source_too_large")) {
			return "", err
		}
		if found || turns.end() {
			return turns.text(), nil
		}
		if err != nil {
			return "", err
		}
		if h.base == nil {
			return "", Nothing(turns.reason())
		}
		end = h.base.end
		if f, h, err = s.openBase(f.path, h.base); err != nil {
			return "", err
		}
		defer f.Close()
		if end > f.size {
			return "", Nothing("changed_while_reading")
		}
	}
	return "", Nothing("base_missing")
}

// openBase opens the file that the rollout at path goes on from.
func (s *search) openBase(path string, base *historyBase) (*file, codexHeader, error) {
	path, err := findBase(path, base.fileID)
	if err != nil {
		return nil, codexHeader{}, err
	}
	return openRollout(path, s.uid)
}

// openRollout opens a rollout and reads its header.
func openRollout(path string, uid int) (*file, codexHeader, error) {
	f, err := openFile(path, uid)
	if err != nil {
		return nil, codexHeader{}, err
	}
	line, err := f.header()
	if err == nil {
		var h codexHeader
		if h, err = parseCodexHeader(line); err == nil {
			return f, h, nil
		}
	}
	f.Close()
	return nil, codexHeader{}, err
}

// findBase returns the one rollout whose name ends with an id. It lies beside
// the file that names it, or in the directory of the day on which the id was
// made.
func findBase(path, id string) (string, error) {
	found := map[string]bool{}
	compressed := false
	for _, dir := range baseDirs(path, id) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // there need not be one for each day
		}
		for _, e := range entries {
			name, plain := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".zst"), ".jsonl")
			if !plain || !strings.HasPrefix(name, "rollout-") || !strings.HasSuffix(name, "-"+id) && !strings.HasSuffix(name, "_"+id) {
				continue
			}
			if strings.HasSuffix(e.Name(), ".zst") {
				compressed = true
			} else {
				found[filepath.Join(dir, e.Name())] = true
			}
		}
	}
	switch {
	case len(found) == 1:
		for path := range found {
			return path, nil
		}
	case len(found) == 0 && compressed:
		return "", Nothing("compressed")
	}
	return "", Nothing("base_missing")
}

// baseDirs lists the directories to look into: that of the file that names the
// base, and if it lies in a tree of days those of the base's.
func baseDirs(path, id string) []string {
	dir := filepath.Dir(path)
	root := dir
	for _, layout := range []string{"02", "01", "2006"} {
		if _, err := time.Parse(layout, filepath.Base(root)); err != nil {
			return []string{dir}
		}
		root = filepath.Dir(root)
	}
	return append(slices.DeleteFunc(dayDirs(root, id), func(day string) bool { return day == dir }), dir)
}

// dayDirs lists where the rollout that was begun with an id may lie. Codex files
// it under YYYY/MM/DD of its local time; the id holds the same moment in UTC.
// An id without a moment has none.
func dayDirs(sessions, id string) []string {
	made, ok := uuidTime(id)
	if !ok {
		return nil
	}
	var dirs []string
	for _, days := range []int{-1, 0, 1} {
		dirs = append(dirs, filepath.Join(sessions, made.AddDate(0, 0, days).Format("2006/01/02")))
	}
	return dirs
}

// hasRollout tells whether a thread, given by the start of its id, has a
// rollout. It is taken to have one if its id does not tell when it was begun.
func hasRollout(sessions, thread string) bool {
	dirs := dayDirs(sessions, thread)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // there need not be one for each day
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "rollout-") && strings.Contains(e.Name(), "-"+thread) {
				return true
			}
		}
	}
	return dirs == nil
}

// uuidTime returns the moment in a UUID of version 7, or in the start of one.
func uuidTime(id string) (time.Time, bool) {
	const version = 14
	if len(id) <= version || id[version] != '7' {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	return time.UnixMilli(ms).UTC(), err == nil
}
