package whole_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"voice-input/tests/agents/fixture"
)

// TestPicture dictates once and takes the picture of the README of it, if
// VI_PICTURE names a file; tests/screenshot does. Nothing in it is painted but
// by Kitty, Codex and voice-input.
func TestPicture(t *testing.T) {
	file := os.Getenv("VI_PICTURE")
	if file == "" {
		t.Skip("VI_PICTURE names no file for it; tests/screenshot does")
	}
	l := newLab(t)
	l.kitty.Do("set-font-size", "13")
	l.kitty.Do("resize-os-window", "--width", "100", "--height", "29")
	l.ask()
	l.kitty.Do("close-window", "--match", "id:1") // the one that Kitty began with
	// Codex warns that it does not know the model.
	l.kitty.Do("send-text", "--match", l.window, `\x1bOQ`) // F2
	l.awaitScreen("dismiss")
	l.kitty.Do("send-text", "--match", l.window, `\x1b`)
	l.awaitScreen("lab default")
	l.configure("edit", true)
	status := l.below("sh", "-c", `PATH=$1:$PATH; echo '$ voice-input status --follow'; exec voice-input status --follow`, "sh", programs)
	if code, d := l.dictate(nil); code != 0 || d.Outcome != "delivered" {
		t.Fatalf("status %d, %+v", code, d)
	}
	l.awaitScreen(refined)
	fixture.WaitFor(t, "the end of the take in the status", func() bool {
		out, _ := l.kitty.Remote("get-text", "--match", status).Output()
		return strings.HasSuffix(strings.TrimSpace(string(out)), "idle")
	})
	time.Sleep(time.Second) // what a terminal has read it paints a moment later
	if err := os.WriteFile(file, withText(encode(t, l.photograph()), refined), 0o644); err != nil {
		t.Fatal(err)
	}
}

// below opens a few lines below Codex that run a command, and leaves the focus
// with Codex.
func (l *lab) below(argv ...string) (match string) {
	l.t.Helper()
	l.kitty.Do("goto-layout", "--match", "recent:0", "splits")
	id := l.kitty.Do(slices.Concat([]string{"launch", "--location", "hsplit", "--keep-focus", "--cwd", "/"}, l.variables(), argv)...)
	l.kitty.Do("resize-window", "--match", "id:"+id, "--axis", "vertical", "--increment", "-6")
	l.kitty.Do("set-spacing", "--all", "padding=8")
	return "id:" + id
}

// variables are the lab's environment as "launch" takes it.
func (l *lab) variables() (args []string) {
	for _, v := range append(l.env, l.mark) {
		args = append(args, "--env", v)
	}
	return args
}

// photograph returns what the X server shows of the active window.
func (l *lab) photograph() image.Image {
	l.t.Helper()
	display := ""
	for _, v := range l.env {
		if d, ok := strings.CutPrefix(v, "DISPLAY="); ok {
			display = d
		}
	}
	xgb.Logger.SetOutput(io.Discard) // that there is no key to the server is as it should be
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		l.t.Fatal(err)
	}
	defer conn.Close()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	name := "_NET_ACTIVE_WINDOW"
	atom, err := xproto.InternAtom(conn, true, uint16(len(name)), name).Reply()
	if err != nil {
		l.t.Fatal(err)
	}
	active, err := xproto.GetProperty(conn, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
	if err != nil || len(active.Value) != 4 {
		l.t.Fatalf("no window is active: %v", err)
	}
	window := xproto.Drawable(xgb.Get32(active.Value))
	size, err := xproto.GetGeometry(conn, window).Reply()
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := xproto.GetImage(conn, xproto.ImageFormatZPixmap, window, 0, 0, size.Width, size.Height, ^uint32(0)).Reply()
	if err != nil {
		l.t.Fatal(err)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, int(size.Width), int(size.Height)))
	for at := 0; at < len(picture.Pix); at += 4 { // blue, green, red and nothing
		b, g, r := got.Data[at], got.Data[at+1], got.Data[at+2]
		copy(picture.Pix[at:], []byte{r, g, b, 0xff})
	}
	return picture
}

func encode(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withText adds a description in ASCII to a PNG file, behind its first chunk:
// tests/readme compares it with what the README says is to be seen.
func withText(file []byte, text string) []byte {
	const first = 8 + 8 + 13 + 4 // signature, head, IHDR, checksum
	chunk := append([]byte("tEXtDescription\x00"), text...)
	out := slices.Clone(file[:first])
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[first:]...)
}
