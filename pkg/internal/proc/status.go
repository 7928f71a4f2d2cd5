package proc

import (
	"bytes"
	"fmt"
	"strconv"
)

// Status is what is taken of /proc/PID/status, which everybody may read even
// where the rest of a process is closed.
type Status struct {
	UID int // the real user
	// Depth is how many process namespaces below that of this /proc the
	// process lives: 0 unless it is in a container.
	Depth int
}

// Status reads a process's status.
func (fs FS) Status(pid int) (Status, error) {
	b, err := fs.read(pid, "status")
	if err != nil {
		return Status{}, err
	}
	return ParseStatus(b)
}

// ParseStatus parses a status file. The name in its first line is escaped by
// the kernel and cannot forge another line.
func ParseStatus(b []byte) (Status, error) {
	s := Status{UID: -1}
	for line := range bytes.Lines(b) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(value)
		switch string(key) {
		case "Uid":
			if len(fields) == 0 {
				break
			}
			uid, err := strconv.Atoi(string(fields[0]))
			if err != nil || uid < 0 {
				return Status{}, fmt.Errorf("cannot read status of a process: Uid is no number")
			}
			s.UID = uid
		case "NSpid": // a number for each namespace, from the outermost one
			s.Depth = max(0, len(fields)-1)
		}
	}
	if s.UID < 0 {
		return Status{}, fmt.Errorf("cannot read status of a process: it is cut short")
	}
	return s, nil
}
