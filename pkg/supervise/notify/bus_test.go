package notify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"voice-input/pkg/internal/child"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

// bus is a real dbus-daemon that knows no services but its own directory.
type bus struct {
	t       *testing.T
	dir     string
	address string
	process *child.Process
}

func newBus(t *testing.T) *bus {
	dir := desktoptest.Dir(t)
	b := &bus{t: t, dir: dir, address: "unix:path=" + dir + "/bus"}
	b.start()
	return b
}

func (b *bus) start() {
	b.t.Helper()
	config := filepath.Join(b.dir, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, `<busconfig><type>session</type><listen>%s</listen><servicedir>%s</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`, b.address, b.dir), 0o600); err != nil {
		b.t.Fatal(err)
	}
	os.Remove(b.dir + "/bus")
	b.process = desktoptest.Start(b.t, []string{"PATH=" + os.Getenv("PATH"), "NOTIFY_TEST_LOG=" + b.dir + "/log"}, "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile")
	desktoptest.Until(b.t, "the bus", func() bool {
		c, err := dbus.Connect(b.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (b *bus) stop() {
	b.process.Kill()
	<-b.process.Done()
}

func (b *bus) getenv(k string) string {
	return map[string]string{"DBUS_SESSION_BUS_ADDRESS": b.address}[k]
}

// connections returns how many are connected besides the asking one.
func (b *bus) connections() int {
	b.t.Helper()
	c, err := dbus.Connect(b.address)
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	var names []string
	if err := c.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		b.t.Fatal(err)
	}
	return len(slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, ":") })) - 1
}

// shown is a call of Notify.
type shown struct {
	App           string
	Replaces      uint32
	Icon          string
	Summary, Body string
	Actions       []string
	Hints         map[string]dbus.Variant
	Timeout       int32
	ID            uint32
}

// desk is a notification server: it shows nothing, but speaks the protocol
// over a real bus.
type desk struct {
	conn   *dbus.Conn
	can    []string
	first  uint32
	mu     sync.Mutex
	calls  []shown
	closed []uint32
}

// newDesk serves until the test ends or stop is called. The ids begin at
// first.
func newDesk(t *testing.T, address string, first uint32, can ...string) *desk {
	t.Helper()
	c, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{conn: c, can: can, first: first}
	t.Cleanup(d.stop)
	if err := c.Export(d, path, service); err != nil {
		t.Fatal(err)
	}
	if r, err := c.RequestName(service, dbus.NameFlagDoNotQueue); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(r, err)
	}
	return d
}

func (d *desk) stop() { d.conn.Close() }

func (d *desk) GetCapabilities() ([]string, *dbus.Error) { return d.can, nil }

func (d *desk) Notify(app string, replaces uint32, icon, summary, body string, actions []string, hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := replaces
	if id == 0 {
		id = d.first
		d.first++
	}
	d.calls = append(d.calls, shown{app, replaces, icon, summary, body, actions, hints, timeout, id})
	return id, nil
}

func (d *desk) CloseNotification(id uint32) *dbus.Error {
	d.mu.Lock()
	d.closed = append(d.closed, id)
	d.mu.Unlock()
	d.gone(id, 3)
	return nil
}

// gone tells that a notification is.
func (d *desk) gone(id, reason uint32) {
	d.conn.Emit(path, service+".NotificationClosed", id, reason)
}

func (d *desk) seen() []shown {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// last returns the newest call, or a zero one.
func (d *desk) last() shown {
	if all := d.seen(); len(all) > 0 {
		return all[len(all)-1]
	}
	return shown{}
}

func (d *desk) isClosed(id uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.closed, id)
}

// start starts a Notifier that ends with the test.
func start(t *testing.T, o Options) *Notifier {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := Start(ctx, o)
	t.Cleanup(func() {
		cancel()
		<-n.Done()
	})
	return n
}

// await waits until a summary is the newest one.
func (d *desk) await(t *testing.T, summary string) shown {
	t.Helper()
	desktoptest.Until(t, "the notification "+summary, func() bool { return d.last().Summary == summary })
	return d.last()
}

func phase(p string) wire.Status { return wire.Status{Phase: p} }

func hint[T any](t *testing.T, s shown, name string) T {
	t.Helper()
	v, ok := s.Hints[name].Value().(T)
	if !ok {
		t.Errorf("%s: the hint %s is %v", s.Summary, name, s.Hints[name])
	}
	return v
}
