package supervise

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/xdg"
	"voice-input/pkg/wire"
)

// stopped is the phase that a client shows when there is no daemon.
const stopped = "stopped"

func statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "say what the daemon is doing",
		Words: map[string][]string{"format": {"text", "json", "waybar"}},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Usage: "go on with every change"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "write as `FORMAT`: text, json, waybar"},
			&cli.BoolFlag{Name: "extended", Usage: "with the dictated text; not for reports"},
		},
		Run: runStatus,
	}
}

func runStatus(ctx context.Context, o *cli.IO, c *cli.Call) error {
	show, err := formatter(o, c.String("format"))
	if err != nil {
		return err
	}
	control := &wire.Control{Command: "status", Follow: c.Bool("follow"), Extended: c.Bool("extended")}
	runtimeDir := xdg.RuntimeDir(o.Getenv)
	last := ""
	for {
		err := call(ctx, runtimeDir, control, func(line []byte) error {
			s := new(wire.Status)
			if err := wire.Decode(line, s); err != nil {
				return cli.Errorf(cli.StatusProtocol, "the daemon answered nonsense: %w", err)
			}
			return show(s, &last)
		})
		if ctx.Err() != nil {
			return nil
		}
		lost := cli.StatusOf(err) == cli.StatusUnavailable
		if !control.Follow && lost && c.String("format") != "text" {
			if err := show(&wire.Status{Phase: stopped}, &last); err != nil {
				return err
			}
		}
		if !control.Follow || (err != nil && !lost) {
			return err
		}
		// A status bar outlives the daemon: it shows that there is none and
		// finds the next one.
		if err := show(&wire.Status{Phase: stopped}, &last); err != nil {
			return err
		}
		select {
		case <-time.After(followRetry):
		case <-ctx.Done():
			return nil
		}
	}
}

// formatter returns the function that prints a status. A line equal to the
// last one is not printed again.
func formatter(o *cli.IO, format string) (func(s *wire.Status, last *string) error, error) {
	line := func(text string, last *string) error {
		if text == *last {
			return nil
		}
		*last = text
		if _, err := fmt.Fprintln(o.Stdout, text); err != nil {
			return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
		}
		return nil
	}
	switch format {
	case "text":
		return func(s *wire.Status, last *string) error { return line(describe(s), last) }, nil
	case "waybar":
		return func(s *wire.Status, last *string) error { return line(waybar(s), last) }, nil
	case "json":
		return func(s *wire.Status, last *string) error {
			b, err := wire.Encode(s)
			if err != nil || string(b) == *last {
				return err
			}
			*last = string(b)
			return o.Emit(s)
		}, nil
	}
	return nil, cli.ErrUsage("no format %q", format).WithHint("one of text, json, waybar")
}

// waybar returns the object that Waybar's custom module reads with
// "return-type": "json". Its format-icons are chosen by alt. The tooltip is
// Pango markup, so its text is escaped.
func waybar(s *wire.Status) string {
	class := s.Phase
	if s.Error != nil {
		class = "error"
	}
	text := ""
	if s.Phase == string(Recording) {
		text = fmt.Sprintf("%d:%02d", s.RecordingMS/60000, s.RecordingMS/1000%60)
	}
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	tooltip := describe(s)
	if s.Text != "" {
		tooltip += "\n" + s.Text
	}
	out, _ := json.Marshal(struct {
		Text       string `json:"text"`
		Alt        string `json:"alt"`
		Class      string `json:"class"`
		Tooltip    string `json:"tooltip"`
		Percentage int    `json:"percentage"`
	}{text, class, class, escape.Replace(tooltip), int(100 * min(s.Level, 1))})
	return string(out)
}
