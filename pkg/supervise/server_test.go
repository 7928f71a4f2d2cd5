package supervise

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/internal/soundtest"
	"voice-input/pkg/wire"
)

func (l *lab) dial() *net.UnixConn {
	l.t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socketPath(filepath.Join(l.server.RuntimeDir, "voice-input")), Net: "unix"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(soundtest.Limit))
	return conn
}

// answer reads one line.
func answer(t *testing.T, conn net.Conn) map[string]any {
	t.Helper()
	line, err := bufio.NewReader(conn).ReadString('\n')
	var m map[string]any
	if jsonErr := json.Unmarshal([]byte(line), &m); jsonErr != nil {
		t.Fatalf("answer %q: %v", line, err)
	}
	return m
}

// TestControlSocket is one daemon and everything that a client can do to it.
func TestControlSocket(t *testing.T) {
	t.Parallel()
	server := soundtest.EmptyPulse(t)
	l := newLab(t, server, "[deliver]\nto = \"stdout\"\n[stages]\n"+sink)

	t.Run("nothing to act on", func(t *testing.T) {
		for _, c := range []string{"stop", "cancel", "restart", "retry"} {
			if out := l.record(1, c); !strings.Contains(out, `"reason":"nothing"`) {
				t.Errorf("%s: %s", c, out)
			}
		}
	})
	t.Run("unreadable commands", func(t *testing.T) {
		for name, line := range map[string]string{
			"words": "toggle\n", "other record": `{"schema":"vi.status/1","reason":"ok"}` + "\n", "newer": `{"schema":"vi.control/2","reason":"ok"}` + "\n",
			"too long": `{"schema":"vi.control/1","reason":"ok","command":"` + strings.Repeat("x", 2*maxCommand) + "\"}\n",
		} {
			conn := l.dial()
			fmt.Fprint(conn, line)
			if got := answer(t, conn); got["reason"] != "bad_command" || got["status"] != float64(cli.StatusData) {
				t.Errorf("%s: %v", name, got)
			}
		}
		conn := l.dial()
		wire.Write(conn, &wire.Control{Command: "sing"})
		if got := answer(t, conn); got["reason"] != "bad_command" || got["status"] != float64(cli.StatusUsage) {
			t.Errorf("unknown command: %v", got)
		}
	})
	t.Run("a client that says nothing is dropped", func(t *testing.T) {
		conn := l.dial()
		if got := answer(t, conn); got["reason"] != "bad_command" {
			t.Errorf("got %v", got)
		}
	})
	t.Run("too many clients", func(t *testing.T) {
		var held []*net.UnixConn
		for range maxClients {
			conn := l.dial()
			wire.Write(conn, &wire.Control{Command: "status", Follow: true})
			answer(t, conn)
			held = append(held, conn)
		}
		if got := answer(t, l.dial()); got["reason"] != "busy" {
			t.Errorf("got %v", got)
		}
		for _, conn := range held {
			conn.Close()
		}
		server.WaitFor("a free place", func() bool { return l.status().Phase == string(Idle) })
	})
	t.Run("private", func(t *testing.T) {
		info, err := os.Stat(socketPath(filepath.Join(server.RuntimeDir, "voice-input")))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
	t.Run("one daemon", func(t *testing.T) {
		if status, out := l.run("daemon", "--config", l.config); status != int(cli.StatusCantCreate) || !strings.Contains(out, "another daemon runs") {
			t.Errorf("status %d: %s", status, out)
		}
		if l.status().Phase != string(Idle) {
			t.Error("the first daemon was disturbed")
		}
	})
	t.Run("no microphone", func(t *testing.T) {
		out := l.record(int(cli.StatusUnavailable), "start", "--wait")
		if !strings.Contains(out, `"reason":"failed"`) {
			t.Errorf("%s", out)
		}
		s := l.status()
		if s.Phase != string(Idle) || s.Error == nil || s.Error.Stage != "capture" || s.Last.Outcome != "failed" {
			t.Errorf("%+v, %+v, %+v", s.Phase, s.Error, s.Last)
		}
		if n := len(l.spooled()); n != 0 {
			t.Errorf("%d takes in the spool", n)
		}
	})
}

// Another user's process is refused although the file modes let it in.
func TestOtherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	server := soundtest.EmptyPulse(t)
	l := newLab(t, server, "[stages]\n"+sink)
	dir := filepath.Join(server.RuntimeDir, "voice-input")
	for _, d := range []string{filepath.Dir(server.RuntimeDir), server.RuntimeDir, dir} {
		os.Chmod(d, 0o755)
	}
	os.Chmod(socketPath(dir), 0o666)
	answered := make(chan int, 1)
	go func() {
		// The kernel takes a peer's user from the thread that connects; this
		// one ends with the goroutine, since it is never unlocked.
		runtime.LockOSThread()
		const nobody = 65534
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody); e != 0 {
			t.Error(e)
		}
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socketPath(dir), Net: "unix"})
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(soundtest.Limit))
		wire.Write(conn, &wire.Control{Command: "status"})
		n, _ := conn.Read(make([]byte, 100))
		answered <- n
	}()
	if n := <-answered; n != 0 {
		t.Error("another user was answered")
	}
	server.WaitFor("a line in the log", func() bool {
		log, _ := os.ReadFile(l.log)
		return strings.Contains(string(log), "refused a client")
	})
}

func TestReadyIsTold(t *testing.T) {
	t.Parallel()
	server := soundtest.EmptyPulse(t)
	path := filepath.Join(server.RuntimeDir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	daemon := exec.Command(filepath.Join(programs, "voice-input"), "daemon")
	daemon.Env = append(server.Env(), "NOTIFY_SOCKET="+path)
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		daemon.Process.Signal(syscall.SIGTERM)
		daemon.Wait()
	}()
	b := make([]byte, 100)
	conn.SetReadDeadline(time.Now().Add(soundtest.Limit))
	if n, err := conn.Read(b); err != nil || string(b[:n]) != "READY=1" {
		t.Errorf("%q, %v", b[:n], err)
	}
	if _, err := os.Stat(socketPath(filepath.Join(server.RuntimeDir, "voice-input"))); err != nil {
		t.Errorf("ready without a socket: %v", err)
	}
}

// A followed status is a snapshot and then changes, in order, without text; it
// shows that a daemon has gone and finds the next one.
func TestFollow(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	l := newLab(t, server, local)
	follow := exec.Command(filepath.Join(programs, "voice-input"), "status", "--follow", "--format", "json")
	follow.Env = l.env()
	out, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		follow.Process.Kill()
		follow.Wait()
	}()
	seen := make(chan wire.Status, 10_000)
	go func() {
		lines := wire.NewReader(out)
		for {
			line, err := lines.Next()
			if err != nil {
				return
			}
			var s wire.Status
			if wire.Decode(line, &s) == nil {
				seen <- s
			}
		}
	}()
	var all []wire.Status
	until := func(what string, met func(wire.Status) bool) {
		t.Helper()
		for late := time.After(soundtest.Limit); ; {
			select {
			case s := <-seen:
				all = append(all, s)
				if met(s) {
					return
				}
			case <-late:
				t.Fatalf("not followed: %s", what)
			}
		}
	}
	until("the snapshot", func(s wire.Status) bool { return s.Phase == string(Idle) })
	l.say(server.Mic())
	l.record(0, "toggle")
	until("the delivery", func(s wire.Status) bool { return s.Last != nil && s.Last.Outcome == "delivered" })
	l.kill()
	until("the daemon's end", func(s wire.Status) bool { return s.Phase == stopped })
	l.start()
	until("the next daemon", func(s wire.Status) bool { return s.Phase == string(Idle) })

	var order []string
	for i, s := range all {
		if s.Text != "" {
			t.Error("text without --extended")
		}
		if i > 0 && s.Instance == all[i-1].Instance && s.Rev <= all[i-1].Rev {
			t.Errorf("rev %d after %d", s.Rev, all[i-1].Rev)
		}
		if len(order) == 0 || order[len(order)-1] != s.Phase {
			order = append(order, s.Phase)
		}
	}
	// Short phases may be merged, the long ones not.
	got := strings.Join(order, " ")
	for _, want := range []string{"idle arming", "recording", "recognizing", "stopped idle"} {
		if !strings.Contains(got, want) {
			t.Errorf("phases %s lack %q", got, want)
		}
	}
	if first, last := all[0], all[len(all)-1]; first.Instance == last.Instance {
		t.Error("two daemons have the same instance")
	}
}

// A reader that does not read gets the newest state when it reads again.
func TestSlowReaderGetsTheNewest(t *testing.T) {
	b := newBoard()
	_, changed := b.get(false)
	for i := range 1000 {
		b.change(func(s *wire.Status) { s.RecordingMS = int64(i) })
	}
	<-changed
	if now, _ := b.get(false); now.RecordingMS != 999 || now.Rev != 1000 {
		t.Errorf("%+v", now)
	}
	b.setText("private")
	if now, _ := b.get(false); now.Text != "" {
		t.Error("text for a reader that did not ask")
	}
	if now, _ := b.get(true); now.Text != "private" {
		t.Error("no text for a reader that asked")
	}
}

func TestWaybar(t *testing.T) {
	tests := []struct {
		name string
		s    wire.Status
		want string
	}{
		{"idle", wire.Status{Phase: "idle"}, `{"text":"","alt":"idle","class":"idle","tooltip":"idle","percentage":0}`},
		{"recording", wire.Status{Phase: "recording", RecordingMS: 75_400, Level: 0.25}, `{"text":"1:15","alt":"recording","class":"recording","tooltip":"recording 75 s","percentage":25}`},
		{"error", wire.Status{Phase: "idle", Error: &wire.StatusError{Stage: "asr", Detail: "no <engine> & no \"luck\""}}, `{"text":"","alt":"error","class":"error","tooltip":"idle; asr: no \u0026lt;engine\u0026gt; \u0026amp; no \"luck\"","percentage":0}`},
		{"to retry", wire.Status{Phase: "idle", Recoverable: 2}, `{"text":"","alt":"idle","class":"idle","tooltip":"idle; 2 to retry","percentage":0}`},
		{"on the clipboard", wire.Status{Phase: "idle", Last: &wire.StatusResult{Warnings: []string{"left_on_clipboard"}}}, `{"text":"","alt":"idle","class":"idle","tooltip":"idle; the text is on the clipboard","percentage":0}`},
		{"stopped", wire.Status{Phase: "stopped"}, `{"text":"","alt":"stopped","class":"stopped","tooltip":"stopped","percentage":0}`},
	}
	for _, tt := range tests {
		if got := waybar(&tt.s); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// The pipeline runs once without a daemon, on a recording and on a microphone.
func TestDictate(t *testing.T) {
	t.Parallel()
	server := soundtest.Pulse(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	os.WriteFile(config, []byte("[asr]\nengine = \"pocketsphinx\"\n"), 0o600)
	l := &lab{t: t, server: server}
	wav, err := filepath.Abs("../../tests/testdata/speech/goforward.wav")
	if err != nil {
		t.Fatal(err)
	}
	if status, out := l.run("dictate", "--config", config, "--file", wav); status != 0 || out != words+"\n" {
		t.Errorf("status %d: %q", status, out)
	}
	mic := server.Mic()
	go mic.Speak(speech())
	if status, out := l.run("dictate", "--config", config, "--for", "3s"); status != 0 || out != words+"\n" {
		t.Errorf("status %d: %q", status, out)
	}
	silence := filepath.Join(t.TempDir(), "silence.wav")
	b, _ := os.ReadFile(wav)
	clear(b[44:])
	os.WriteFile(silence, b, 0o600)
	if status, out := l.run("dictate", "--config", config, "--file", silence); status != int(cli.StatusNothing) || out != "" {
		t.Errorf("silence: status %d: %q", status, out)
	}
	text := filepath.Join(t.TempDir(), "text.wav")
	os.WriteFile(text, []byte("not a recording"), 0o600)
	if status, out := l.run("dictate", "--config", config, "--file", text); status == 0 || strings.Contains(out, "not a recording") {
		t.Errorf("text: status %d: %q", status, out)
	}
	if n := len(l.spooled()); n != 0 {
		t.Errorf("%d takes are left in the spool", n)
	}
	l.nothingRuns()
}

// Under the service manager the daemon takes the socket that is there already,
// starts with the first command, and its children know nothing of it.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	desktoptest.Need(t, "systemd-socket-activate")
	server := soundtest.Pulse(t)
	dir := t.TempDir()
	l := &lab{t: t, server: server, config: filepath.Join(dir, "config.toml"), out: filepath.Join(dir, "out"), log: filepath.Join(dir, "log")}
	l.configure(local)
	runtimeDir := filepath.Join(server.RuntimeDir, "voice-input")
	if err := os.MkdirAll(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(l.out)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	argv := []string{"--listen", socketPath(runtimeDir)}
	for _, kv := range l.env() { // it hands on nothing else
		argv = append(argv, "--setenv", kv)
	}
	l.daemon = exec.Command("systemd-socket-activate", append(argv, filepath.Join(programs, "voice-input"), "daemon", "--config", l.config)...)
	l.daemon.Env, l.daemon.Stdout = l.env(), out
	l.daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer l.kill()
	server.WaitFor("the socket", func() bool { _, err := os.Stat(socketPath(runtimeDir)); return err == nil })
	l.say(server.Mic()) // the first command starts the daemon
	for _, pid := range append(l.children("vi-asr"), l.children("vi-capture")...) {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if strings.Contains(string(environ), "LISTEN_") {
			t.Errorf("process %d is told of a socket", pid)
		}
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		for _, fd := range fds {
			to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
			if data, _ := os.ReadFile("/proc/net/unix"); strings.HasPrefix(to, "socket:[") && strings.Contains(string(data), strings.Trim(to, "socket:[]")+" "+socketPath(runtimeDir)) {
				t.Errorf("process %d has the control socket", pid)
			}
		}
	}
	l.record(0, "stop", "--wait")
	if got := l.delivered(); got != words+"\n" {
		t.Errorf("delivered %q", got)
	}
	l.daemon.Process.Signal(syscall.SIGTERM)
	l.daemon.Wait()
	if _, err := os.Stat(socketPath(runtimeDir)); err != nil {
		t.Errorf("the service manager's socket was removed: %v", err)
	}
}
