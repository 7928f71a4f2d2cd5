package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	// callTime bounds the connection and each call. A server takes 2 or 3 ms;
	// one that the bus has to start first takes some hundreds.
	callTime = 2 * time.Second
	// maxBody bounds the text in characters; a screen shows less.
	maxBody = 500
)

const (
	busName = "org.freedesktop.DBus"
	service = "org.freedesktop.Notifications"
	path    = dbus.ObjectPath("/org/freedesktop/Notifications")
)

// server is a connection to the session bus and the notification that was put
// there. It belongs to one goroutine.
type server struct {
	conn    *dbus.Conn
	signals chan *dbus.Signal // closed with the connection
	markup  bool              // the server reads the body as markup
	id      uint32            // 0 if nothing is shown
}

// connect connects to the first bus that answers.
func connect(ctx context.Context, getenv func(string) string) (*server, error) {
	all := addresses(getenv)
	if len(all) == 0 {
		return nil, errors.New("cannot find the session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR says where it is")
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var failed error
	for _, address := range all {
		s, err := dial(ctx, address)
		if err == nil {
			return s, nil
		}
		failed = errors.Join(failed, fmt.Errorf("cannot reach the session bus: %w", err))
	}
	return nil, failed
}

func dial(ctx context.Context, address string) (*server, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	// The library's own handshake knows no end but that of the connection.
	stop := context.AfterFunc(ctx, func() { socket.Close() })
	defer stop()
	conn, err := dbus.NewConn(socket)
	if err != nil {
		socket.Close()
		return nil, err
	}
	s := &server{conn: conn, signals: make(chan *dbus.Signal, 16)}
	if err := s.open(ctx); err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return s, nil
}

// open says hello, asks what the server can do and listens to what becomes of
// a notification.
func (s *server) open(ctx context.Context) error {
	if err := s.conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Geteuid()))}); err != nil {
		return err
	}
	if err := s.conn.Hello(); err != nil {
		return err
	}
	s.conn.Signal(s.signals)
	for _, rule := range [][]dbus.MatchOption{
		{dbus.WithMatchInterface(service), dbus.WithMatchMember("NotificationClosed")},
		{dbus.WithMatchSender(busName), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service)},
	} {
		if err := s.conn.AddMatchSignalContext(ctx, rule...); err != nil {
			return err
		}
	}
	var can []string
	err := s.call(ctx, "GetCapabilities").Store(&can)
	s.markup = slices.Contains(can, "body-markup")
	return err
}

func (s *server) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return s.conn.Object(service, path).CallWithContext(ctx, service+"."+method, 0, args...)
}

// show puts a note in the place of the one that is shown.
func (s *server) show(ctx context.Context, n Note, sound string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	hints := map[string]dbus.Variant{
		"urgency":   dbus.MakeVariant(byte(n.Level)),
		"transient": dbus.MakeVariant(true),
	}
	if n.Value > 0 {
		hints["value"] = dbus.MakeVariant(int32(n.Value - 1))
	}
	if sound == "" {
		hints["suppress-sound"] = dbus.MakeVariant(true)
	} else {
		hints["sound-name"] = dbus.MakeVariant(sound)
	}
	err := s.call(ctx, "Notify", "voice-input", s.id, icons[n.Level], n.Summary, s.body(n.Body), []string{}, hints, int32(expiry[n.Level].Milliseconds())).Store(&s.id)
	if err != nil {
		return fmt.Errorf("cannot show a notification: %w", err)
	}
	return nil
}

var (
	icons = [...]string{"audio-input-microphone", "dialog-information", "dialog-error"}
	// expiry is how long a note stays. One of progress is shown again before
	// that, so that it goes when nobody is left to take it away. How long a
	// problem stays is the server's own matter.
	expiry = [...]time.Duration{5 * time.Second, 10 * time.Second, -time.Millisecond}
)

// body returns a text as the server reads it.
func (s *server) body(text string) string {
	if runes := []rune(text); len(runes) > maxBody {
		text = string(runes[:maxBody]) + "…"
	}
	text = strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")) // which the bus would hang up on
	if s.markup {
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	}
	return text
}

// closeReason is what a server says of the end of a notification.
type closeReason uint32

const dismissed closeReason = 2 // by the user

// ended tells whether a signal says that the notification is gone, and why.
func (s *server) ended(sig *dbus.Signal) (reason closeReason, gone bool) {
	switch sig.Name {
	case service + ".NotificationClosed":
		var id, why uint32
		if dbus.Store(sig.Body, &id, &why) != nil || s.id == 0 || id != s.id {
			return 0, false
		}
		s.id = 0
		return closeReason(why), true
	case busName + ".NameOwnerChanged":
		var name, before, after string
		if dbus.Store(sig.Body, &name, &before, &after) != nil || before == "" || s.id == 0 {
			return 0, false
		}
		s.id = 0 // with another server it is the number of somebody else's
		return 0, true
	}
	return 0, false
}

// close takes the notification away.
func (s *server) close(ctx context.Context) {
	if s.id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	s.call(ctx, "CloseNotification", s.id)
}
