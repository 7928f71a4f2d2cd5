package notify

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// TestDunst shows the notes in a real notification server on a real screen,
// set up to read bodies as markup and not to.
func TestDunst(t *testing.T) {
	for markup, body := range map[string]string{"full": "no &lt;b&gt;engine&lt;/b&gt; &amp; no key\nsay so", "no": "no <b>engine</b> & no key\nsay so"} {
		t.Run("markup "+markup, func(t *testing.T) { testDunst(t, markup, body) })
	}
}

func testDunst(t *testing.T, markup, body string) {
	dunst := desktoptest.Path(t, "dunst")
	b := newBus(t)
	config := b.dir + "/dunstrc"
	if err := os.WriteFile(config, []byte("[global]\nmarkup = "+markup+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	display := desktoptest.X11(t)
	out, err := os.Create(b.dir + "/printed")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	server, err := child.Start(t.Context(), child.Spec{
		Argv: []string{dunst, "-conf", config, "-print"}, Stdout: out,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "XDG_RUNTIME_DIR=" + b.dir, "DBUS_SESSION_BUS_ADDRESS=" + b.address, "DISPLAY=" + display},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Kill()
		<-server.Done()
	})
	c, err := dbus.Connect(b.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	onScreen := func() uint32 {
		v, err := c.Object(service, path).GetProperty("org.dunstproject.cmd0.displayedLength")
		n, _ := v.Value().(uint32)
		if err != nil {
			return 99
		}
		return n
	}
	desktoptest.Until(t, "dunst", func() bool { return onScreen() == 0 })
	printed := func() string { b, _ := os.ReadFile(out.Name()); return string(b) }
	// field returns what dunst printed last for a member.
	field := func(name string) string {
		all := regexp.MustCompile(`(?m)^\t`+name+`: '?(.*?)'?$`).FindAllStringSubmatch(printed(), -1)
		if len(all) == 0 {
			return ""
		}
		return all[len(all)-1][1]
	}
	await := func(summary string) {
		t.Helper()
		desktoptest.Until(t, summary, func() bool { return field("summary") == summary && field("script_count") != "" && onScreen() == 1 })
	}

	n := start(t, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(wire.Status{Phase: "recording", Level: 0.1, Text: "sentinel"})
	await("Recording")
	id := field("id")
	for name, want := range map[string]string{"appname": "voice-input", "urgency": "LOW", "transient": "1", "progress": "70", "timeout": "5000", "icon": "audio-input-microphone"} {
		if got := field(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	n.Show(wire.Status{Phase: "recognizing", Error: &wire.StatusError{Stage: "asr", Detail: "no <b>engine</b> & no key", Hint: "say so"}})
	await("The recognition has failed")
	if field("urgency") != "CRITICAL" || field("id") != id {
		t.Errorf("urgency %q, id %q after %q", field("urgency"), field("id"), id)
	}
	if !strings.Contains(printed(), "body: '"+body+"'") || strings.Contains(printed(), "sentinel") {
		t.Errorf("printed %s", printed())
	}
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	desktoptest.Until(t, "an empty screen", func() bool { return onScreen() == 0 })
}
