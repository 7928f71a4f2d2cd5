package deliver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"unicode/utf8"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/kitty"
	"voice-input/pkg/wire"
)

// Kitty writes the text into a window of Kitty by remote control. The focus
// does not matter and the clipboard is left alone.
type Kitty struct {
	socket kitty.Socket
	target *wire.Focus
	submit bool
}

// NewKitty returns the driver for a target, or nil and why it is not one.
func NewKitty(o driver.Options) (*Kitty, string) {
	if !inKitty(o.Target) {
		return nil, "the target is not a window of Kitty that takes remote control"
	}
	path, ok := kitty.Path(o.Target.Terminal.Socket)
	if !ok {
		return nil, "the address of Kitty is not that of a socket"
	}
	socket := kitty.Socket{Path: path, PID: o.Target.Window.PID, UID: os.Getuid()}
	return &Kitty{socket, o.Target, o.Submit}, ""
}

// Name implements Driver.
func (*Kitty) Name() string { return "kitty" }

// Deliver implements Driver. Kitty's answer to a command that follows the text
// on the same connection confirms it, for Kitty 0.26 does not answer the one
// that sends text.
func (d *Kitty) Deliver(ctx context.Context, text string) (string, []string, error) {
	if err := d.check(ctx); err != nil {
		return "", nil, err
	}
	match := fmt.Sprintf("id:%d", d.target.Terminal.WindowID)
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	_, err := d.socket.CallAfter(ctx, d.commands(match, text), "get-text", map[string]any{"match": match})
	if err != nil {
		return "", nil, fmt.Errorf("cannot tell whether Kitty took the text: %w", err)
	}
	return wire.VerifiedWritten, nil, nil
}

// check makes sure that the target is there and as it was.
func (d *Kitty) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, kitty.Timeout)
	defer cancel()
	if err := older(processes, d.socket.PID, d.target.At); err != nil {
		return fmt.Errorf("Kitty: %w", err)
	}
	answer, err := d.socket.Call(ctx, "ls", struct{}{})
	if err != nil {
		return fmt.Errorf("cannot ask Kitty for its windows: %w: %w", driver.ErrUnsent, err)
	}
	pid, err := findWindow(answer, d.target.Terminal.WindowID)
	if err != nil || !agentInKitty(d.target) {
		return err
	}
	shell, err := processes.Stat(pid)
	if err != nil {
		return fmt.Errorf("window of Kitty: %w", gone(err))
	}
	return inForeground(processes, d.target.Agent, shell.TTY)
}

// findWindow returns the process of a window in Kitty's list. Titles and
// environments are not read.
func findWindow(answer []byte, id int64) (pid int, err error) {
	var all []struct {
		Tabs []struct {
			Windows []struct {
				ID  int64
				PID int
			}
		}
	}
	if json.Unmarshal(answer, &all) != nil {
		return 0, fmt.Errorf("cannot read the windows of Kitty: %w", driver.ErrUnsent)
	}
	for _, o := range all {
		for _, t := range o.Tabs {
			for _, w := range t.Windows {
				if w.ID == id {
					return w.PID, nil
				}
			}
		}
	}
	return 0, fmt.Errorf("window %d of Kitty is gone: %w", id, driver.ErrTargetChanged)
}

// maxChunk bounds the text of one command: in base64, which adds a third,
// less than the 64 KiB that Kitty takes.
const maxChunk = 32 << 10

const pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"

// commands returns what sends a text. A coding agent asks for bracketed paste,
// so it gets brackets from here, in any version of Kitty. Of another program
// it is Kitty that knows; before 0.32.2 it ignores the question, and the text
// has no line end then.
func (d *Kitty) commands(match, text string) []kitty.Command {
	paste := "auto"
	if agentInKitty(d.target) {
		paste, text = "disable", pasteStart+text+pasteEnd
	}
	var out []kitty.Command
	send := func(part, paste string) {
		out = append(out, kitty.Command{Name: "send-text", Payload: map[string]any{
			"match": match, "data": "base64:" + base64.StdEncoding.EncodeToString([]byte(part)), "bracketed_paste": paste,
		}})
	}
	for len(text) > 0 {
		n := min(len(text), maxChunk)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		send(text[:n], paste)
		text = text[n:]
	}
	if d.submit {
		send("\r", "disable")
	}
	return out
}
