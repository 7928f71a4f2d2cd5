package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// TestMain lets the test binary be a server that the bus starts.
func TestMain(m *testing.M) {
	log := os.Getenv("NOTIFY_TEST_LOG")
	if log == "" {
		os.Exit(m.Run())
	}
	c, err := dbus.Connect(os.Getenv("DBUS_STARTER_ADDRESS"))
	if err != nil {
		panic(err)
	}
	d := &desk{conn: c, first: 70}
	c.Export(d, path, service)
	c.RequestName(service, dbus.NameFlagDoNotQueue)
	for range 6000 { // a minute at most
		time.Sleep(10 * time.Millisecond)
		d.mu.Lock()
		b, _ := json.Marshal(map[string]any{"calls": d.calls, "closed": d.closed})
		d.mu.Unlock()
		if os.WriteFile(log+".new", b, 0o600) != nil || os.Rename(log+".new", log) != nil || !c.Connected() {
			return // the directory or the bus is gone
		}
	}
}

// One notification follows a take from its beginning and is gone at its end,
// and so is the connection.
func TestATakeFromBeginToEnd(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 5, "body", "body-markup")
	n := start(t, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(wire.Status{Phase: idle})
	for _, p := range []string{"arming", "recording", "recognizing", "refining", "delivering"} {
		n.Show(wire.Status{Phase: p, Level: 0.1, Text: "sentinel", Job: "sentinel"})
		got := d.await(t, phases[p])
		wantReplaces := uint32(5)
		if p == "arming" {
			wantReplaces = 0
		}
		if got.Replaces != wantReplaces || got.App != "voice-input" || got.Icon == "" || len(got.Actions) > 0 || got.Timeout != 5000 {
			t.Errorf("%+v", got)
		}
		if hint[byte](t, got, "urgency") != 0 || !hint[bool](t, got, "transient") || !hint[bool](t, got, "suppress-sound") {
			t.Errorf("%v", got.Hints)
		}
		if _, there := got.Hints["value"]; there != (p == "recording") {
			t.Errorf("%s: value %v", p, got.Hints["value"])
		}
	}
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	desktoptest.Until(t, "the end of the notification", func() bool { return d.isClosed(5) })
	desktoptest.Until(t, "the end of the connection", func() bool { return b.connections() == 1 })
	if strings.Contains(fmt.Sprint(d.seen()), "sentinel") {
		t.Error("a notification holds the text")
	}
	// The next take has a notification of its own.
	n.Show(phase("arming"))
	if got := d.await(t, phases["arming"]); got.ID != 6 {
		t.Errorf("id %d", got.ID)
	}
}

// What is not to be shown makes no connection.
func TestWhatIsNotWanted(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 1)
	off := start(t, Options{Getenv: b.getenv, Notifications: "off"})
	n := start(t, Options{Getenv: b.getenv, Notifications: "errors"})
	for _, s := range []wire.Status{
		{Phase: "recording"}, {Phase: idle, Last: ended("delivered")}, {Phase: "recording"},
		{Phase: "recording", Error: &wire.StatusError{Stage: "asr", Detail: "gone", Hint: "the recording goes on"}},
	} {
		off.Show(s)
		n.Show(s)
	}
	got := d.await(t, "The recognition has failed")
	if got.Body != "gone\nthe recording goes on" || hint[byte](t, got, "urgency") != 2 || got.Timeout != -1 || len(d.seen()) != 1 {
		t.Errorf("%+v", d.seen())
	}
	if n := b.connections(); n != 2 {
		t.Errorf("%d connections, want those of the server and one", n)
	}
	// The take ends well in spite of it.
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	desktoptest.Until(t, "the end of the notification", func() bool { return d.isClosed(got.ID) })
}

// TestV11_MarkupIsEscaped: what an error quotes is text to the server, however
// it reads bodies, and breaks nothing.
func TestV11_MarkupIsEscaped(t *testing.T) {
	detail := "source \"<b>Mic & Co</b>\" \x1b[31m\u2028\xff"
	for _, tt := range []struct {
		can  []string
		want string
	}{
		{[]string{"body", "body-markup"}, "source \"&lt;b&gt;Mic &amp; Co&lt;/b&gt;\" [31m\u2028\ufffd"},
		{[]string{"body"}, "source \"<b>Mic & Co</b>\" [31m\u2028\ufffd"},
	} {
		b := newBus(t)
		d := newDesk(t, b.address, 1, tt.can...)
		n := start(t, Options{Getenv: b.getenv, Notifications: "errors"})
		n.Show(wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "capture", Detail: detail}})
		if got := d.await(t, "The recording has failed"); got.Body != tt.want {
			t.Errorf("%v: body %q, want %q", tt.can, got.Body, tt.want)
		}
		long := strings.Repeat("说", 10_000)
		n.Show(wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "asr", Detail: long}})
		if got := d.await(t, "The recognition has failed"); len([]rune(got.Body)) != maxBody+1 {
			t.Errorf("a body of %d characters", len([]rune(got.Body)))
		}
	}
}

func TestSounds(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 1)
	n := start(t, Options{Getenv: b.getenv, Notifications: "all", Sounds: true})
	sound := func(s shown) string { name, _ := s.Hints["sound-name"].Value().(string); return name }
	n.Show(phase("arming"))
	if got := d.await(t, phases["arming"]); sound(got) != "" {
		t.Errorf("arming sounds %q", sound(got))
	}
	n.Show(phase("recording"))
	if got := d.await(t, phases["recording"]); sound(got) != "bell" || got.Hints["suppress-sound"].Value() != nil {
		t.Errorf("recording: %v", got.Hints)
	}
	time.Sleep(meterPause)
	n.Show(wire.Status{Phase: "recording", Level: 1})
	desktoptest.Until(t, "the level", func() bool { return d.last().Hints["value"].Value() == int32(100) })
	if sound(d.last()) != "" {
		t.Error("the level sounds")
	}
	n.Show(wire.Status{Phase: "recognizing", Error: &wire.StatusError{Stage: "asr", Detail: "x"}})
	if got := d.await(t, "The recognition has failed"); sound(got) != "dialog-error" {
		t.Errorf("a failure sounds %q", sound(got))
	}
	n.Show(wire.Status{Phase: idle, Last: ended("empty")})
	if got := d.await(t, "No speech was heard"); sound(got) != "dialog-information" {
		t.Errorf("a notice sounds %q", sound(got))
	}
}

// Without a bus, notes are dropped and that is said once; a bus that comes, and
// one that comes back, is used.
func TestBusComesAndGoes(t *testing.T) {
	b := newBus(t)
	b.stop()
	var failures atomic.Int32
	n := start(t, Options{Getenv: b.getenv, Notifications: "errors", Failed: func(err error) {
		if !strings.HasPrefix(err.Error(), "cannot reach the session bus: ") {
			t.Error(err)
		}
		failures.Add(1)
	}})
	fail := func(i int) {
		n.Show(wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "asr", Detail: fmt.Sprint(i)}})
	}
	fail(1)
	desktoptest.Until(t, "the failure", func() bool { return failures.Load() == 1 })
	fail(2)
	for i := 3; i < 6; i += 2 {
		b.start()
		d := newDesk(t, b.address, 1)
		fail(i)
		if got := d.await(t, "The recognition has failed"); got.Body != fmt.Sprint(i) || got.Replaces != 0 {
			t.Errorf("%+v", got)
		}
		// Another one is sent when the answer to the first has come: it was shown.
		fail(10 * i)
		desktoptest.Until(t, "another notification", func() bool { return d.last().Body == fmt.Sprint(10*i) })
		b.stop()
		fail(i + 1) // nobody is there
		desktoptest.Until(t, "the failure", func() bool { return failures.Load() == int32(i+1)/2 })
	}
}

func TestNoAddress(t *testing.T) {
	failed := make(chan error, 1)
	n := start(t, Options{Getenv: func(string) string { return "" }, Notifications: "all", Failed: func(err error) { failed <- err }})
	n.Show(phase("recording"))
	if err := <-failed; !strings.HasPrefix(err.Error(), "cannot find the session bus") {
		t.Error(err)
	}
}

// A bus that hangs keeps nobody waiting, and the end is not waited for either.
func TestBusHangs(t *testing.T) {
	b := newBus(t)
	b.process.Signal(syscall.SIGSTOP)
	defer b.process.Signal(syscall.SIGCONT)
	failed := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	n := Start(ctx, Options{Getenv: b.getenv, Notifications: "all", Failed: func(err error) { failed <- err }})
	for i := range 10_000 {
		n.Show(wire.Status{Phase: "recording", Level: float64(i%7) / 7, RecordingMS: int64(i)})
		n.Show(phase("recognizing"))
	}
	if err := <-failed; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	n.Show(wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "asr"}})
	cancel()
	<-n.Done()
}

// A new server gives the number of our notification to somebody else's: it is
// neither replaced nor closed.
func TestAnotherServer(t *testing.T) {
	b := newBus(t)
	first := newDesk(t, b.address, 9)
	n := start(t, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(phase("recording"))
	first.await(t, phases["recording"])
	first.stop()
	second := newDesk(t, b.address, 20)
	n.Show(phase("recognizing"))
	if got := second.await(t, phases["recognizing"]); got.Replaces != 0 || got.ID != 20 {
		t.Errorf("%+v", got)
	}
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	desktoptest.Until(t, "the end of the notification", func() bool { return second.isClosed(20) })
	if second.isClosed(9) {
		t.Error("somebody else's notification was closed")
	}
}

// Who closes the notification does not want to see the progress of this take.
func TestDismissed(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 1)
	n := start(t, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(phase("recording"))
	d.gone(d.await(t, phases["recording"]).ID, 2)
	desktoptest.Until(t, "the end of the connection", func() bool { return b.connections() == 1 })
	n.Show(phase("recognizing"))
	n.Show(phase("refining"))
	// What went wrong is shown all the same.
	n.Show(wire.Status{Phase: "refining", Error: &wire.StatusError{Stage: "refine", Detail: "x"}})
	d.await(t, "The text was not refined")
	if all := d.seen(); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	n.Show(phase("arming"))
	d.await(t, phases["arming"])
}

// A notification that has expired, or that a bus lost, while the take goes on
// is shown again.
func TestProgressIsRefreshed(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 1)
	n := start(t, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(phase("recognizing"))
	first := d.await(t, phases["recognizing"])
	desktoptest.Until(t, "the refresh", func() bool { return len(d.seen()) > 1 })
	if again := d.last(); again.Replaces != first.ID {
		t.Errorf("%+v", again)
	}
	d.gone(first.ID, 1)
	desktoptest.Until(t, "a new one", func() bool { return d.last().ID == first.ID+1 })
}

// Nothing stays on the screen when the daemon ends.
func TestEnd(t *testing.T) {
	b := newBus(t)
	d := newDesk(t, b.address, 1)
	ctx, cancel := context.WithCancel(context.Background())
	n := Start(ctx, Options{Getenv: b.getenv, Notifications: "all"})
	n.Show(phase("recording"))
	id := d.await(t, phases["recording"]).ID
	cancel()
	<-n.Done()
	if !d.isClosed(id) {
		t.Error("the notification is still there")
	}
	n.Show(phase("refining")) // too late, and no reason to wait
	n.Show(phase("recording"))
	desktoptest.Until(t, "the end of the connection", func() bool { return b.connections() == 1 })
}

// The bus starts the server at the first notification.
func TestServerIsStartedByTheBus(t *testing.T) {
	b := newBus(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, service+".service"), fmt.Appendf(nil, "[D-BUS Service]\nName=%s\nExec=%s\n", service, self), 0o600); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Calls  []struct{ Summary string }
		Closed []uint32
	}
	read := func() { b, _ := os.ReadFile(b.dir + "/log"); json.Unmarshal(b, &log) }
	var n *Notifier
	for i := 0; len(log.Calls) == 0; i++ { // a loaded machine may need more than callTime
		if n = start(t, Options{Getenv: b.getenv, Notifications: "errors"}); i == 30 {
			t.Fatal("the server was not started")
		}
		n.Show(wire.Status{Phase: idle, Error: &wire.StatusError{Stage: "asr", Detail: "x"}})
		for range 200 {
			if read(); len(log.Calls) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	// That the name got its owner only now must not make us forget the number.
	n.Show(wire.Status{Phase: idle, Last: ended("delivered")})
	desktoptest.Until(t, "the end of the notification", func() bool { read(); return len(log.Closed) > 0 && log.Closed[len(log.Closed)-1] >= 70 })
}
