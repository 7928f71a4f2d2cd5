package focus

import (
	"bufio"
	"errors"
	"io"
)

// maxLine bounds an event. niri's largest one lists all windows.
const maxLine = 4 << 20

// eachLine calls f with each line until the end of r, which is an error, for
// a desktop that sends events never ends them.
func eachLine(r io.Reader, f func(line []byte)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("the events ended")
}
