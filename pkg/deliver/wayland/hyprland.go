package wayland

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/deliver/paste"
	"voice-input/pkg/internal/unixsock"
)

// Hyprland delivers by the clipboard and a shortcut that Hyprland sends to
// the target's window. Its virtual keyboards share the state of the real one,
// so that a key which is held would join the chord; a shortcut has its own.
type Hyprland struct {
	path, socket string
	getenv       func(string) string
	options      driver.Options
}

// NewHyprland returns the driver, or why it cannot work here.
func NewHyprland(ctx context.Context, getenv func(string) string, o driver.Options) (*Hyprland, string) {
	instance := getenv("HYPRLAND_INSTANCE_SIGNATURE")
	if instance == "" || strings.Contains(instance, "/") {
		return nil, "HYPRLAND_INSTANCE_SIGNATURE is not set"
	}
	path, missing := probe(ctx, getenv, false)
	if missing != "" {
		return nil, missing
	}
	socket := filepath.Join(getenv("XDG_RUNTIME_DIR"), "hypr", instance, ".socket.sock")
	return &Hyprland{path, socket, getenv, o}, ""
}

// Name implements deliver.Driver.
func (*Hyprland) Name() string { return "hyprland" }

// Deliver implements deliver.Driver.
func (h *Hyprland) Deliver(ctx context.Context, text string) (string, []string, error) {
	window := "activewindow"
	if t := h.options.Target; t != nil && t.Window != nil && address.MatchString(t.Window.Address) {
		window = "address:" + t.Window.Address
	}
	return deliver(ctx, h.path, h.getenv, h.options, text, shortcuts{h.socket, window})
}

// address is that of a window. It goes into a line of Lua.
var address = regexp.MustCompile(`^0x[0-9a-f]{1,16}$`)

// shortcuts is the keyboard that Hyprland plays.
type shortcuts struct{ socket, window string }

// shortcutTimeout bounds a request; Hyprland answers from its main loop.
const shortcutTimeout = time.Second

// Ready implements paste.Keyboard.
func (shortcuts) Ready(context.Context) error { return nil }

// Press implements paste.Keyboard. A Hyprland with a configuration in Lua
// (0.55 and newer) takes a line of Lua and cannot read the classic request,
// and the other way round, so whichever is refused has done nothing. hyprctl
// ends with status 0 in both cases; only the answer ok says that it was done.
// (https://wiki.hypr.land/Configuring/Basics/Dispatchers/)
func (s shortcuts) Press(ctx context.Context, chord paste.Chord) error {
	var words []string
	for _, m := range paste.ModKeys {
		if chord.Mods&m.Mod != 0 {
			words = append(words, strings.ToUpper(m.Word))
		}
	}
	mods, key := strings.Join(words, " "), chord.Key.Name
	requests := []string{
		fmt.Sprintf("dispatch sendshortcut %s,%s,%s", mods, key, s.window),
		fmt.Sprintf(`dispatch hl.dsp.send_shortcut({ mods = "%s", key = "%s", window = "%s" })`, strings.ReplaceAll(mods, " ", " + "), key, s.window),
	}
	var answers []string
	for _, r := range requests {
		answer, sent, err := s.ask(ctx, r)
		switch {
		case err != nil && !sent:
			return fmt.Errorf("%w: %w", driver.ErrUnsent, err)
		case err != nil:
			return err
		case answer == "ok":
			return nil
		}
		answers = append(answers, fmt.Sprintf("%.80q", answer))
	}
	return fmt.Errorf("%w: Hyprland refuses the shortcut: %s", driver.ErrUnsent, strings.Join(answers, "; "))
}

// ask sends one request. sent says that it may have been carried out.
func (s shortcuts) ask(ctx context.Context, request string) (answer string, sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, shortcutTimeout)
	defer cancel()
	c, err := unixsock.Dial(ctx, s.socket)
	if err != nil {
		return "", false, fmt.Errorf("cannot ask Hyprland: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(request)); err != nil {
		return "", true, fmt.Errorf("cannot ask Hyprland: %w", err)
	}
	b, err := c.ReadAll(4096)
	if err != nil {
		return "", true, fmt.Errorf("Hyprland does not answer: %w", err)
	}
	return strings.TrimSpace(string(b)), true, nil
}
