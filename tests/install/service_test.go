package install

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// prefixes are places in a home: the usual one, and one that must be quoted.
var prefixes = []string{".local", "Ein schöner Ort"}

// The units name the program by its whole path (P1), and systemd has nothing to
// say about them, their page included.
func TestP1UnitsAreVerified(t *testing.T) {
	need(t, "systemd-analyze", "man")
	for _, prefix := range prefixes {
		u := newUser(t)
		u.prefix = filepath.Join(u.home, prefix)
		u.install(t, "PREFIX="+u.prefix)
		u.env = append(u.env, "MANPATH="+u.prefix+"/share/man")
		service := filepath.Join(u.prefix, "share/systemd/user/voice-input.service")
		verify := []string{"systemd-analyze", "verify", "--user", "--recursive-errors=yes", service, strings.Replace(service, ".service", ".socket", 1)}
		if out, err := u.command(t.Context(), verify...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
		// And it would say it.
		if err := os.Remove(filepath.Join(u.prefix, "bin/voice-input")); err != nil {
			t.Fatal(err)
		}
		if out, err := u.command(t.Context(), verify...).CombinedOutput(); err == nil || !strings.Contains(string(out), "bin/voice-input is not executable") {
			t.Errorf("a unit of a program that is not there passes: %v\n%s", err, out)
		}
	}
}

// In an environment as bare as a unit's, without PATH, the daemon that
// ExecStart names finds the programs beside it (P1), says that it is ready,
// answers a client, and ends at TERM with status 0 and nothing left (P7). What
// is installed over it, or removed under it, says so.
func TestP1P7Service(t *testing.T) {
	for _, prefix := range prefixes {
		t.Run(prefix, func(t *testing.T) { service(t, prefix) })
	}
}

func service(t *testing.T, prefix string) {
	u := newUser(t)
	u.prefix = filepath.Join(u.home, prefix)
	u.install(t, "PREFIX="+u.prefix)
	unit, err := os.ReadFile(filepath.Join(u.prefix, "share/systemd/user/voice-input.service"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ExecStart=(?:"([^"]+)"|(\S+)) daemon$`).FindSubmatch(unit)
	if line == nil {
		t.Fatalf("%s", unit)
	}
	scripts := u.env
	u.env = []string{"HOME=" + u.home, "XDG_RUNTIME_DIR=" + u.home}
	var log bytes.Buffer
	daemon := u.command(t.Context(), string(line[1])+string(line[2]), "daemon")
	daemon.Stdout, daemon.Stderr = &log, &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	defer syscall.Kill(-daemon.Process.Pid, syscall.SIGKILL)

	client := filepath.Join(u.prefix, "bin/voice-input")
	until(t, "the daemon answers", func() bool {
		out, _ := u.command(t.Context(), client, "status", "--format", "json").Output()
		return bytes.Contains(out, []byte(`"phase":"idle"`))
	})
	checks, _ := u.command(t.Context(), client, "doctor", "--format", "json").Output() // status 1: there is no desktop
	for _, part := range []string{"programs", "configuration", "runtime directory"} {
		if !bytes.Contains(checks, []byte(`"part":"`+part+`","state":"ok"`)) {
			t.Errorf("doctor does not find the %s in order:\n%s", part, checks)
		}
	}

	u.env = scripts
	if said := u.install(t, "PREFIX="+u.prefix); !strings.Contains(said, "another daemon runs: end it") {
		t.Errorf("over a daemon it says\n%s", said)
	}
	if said, err := u.script(t, "uninstall", "PREFIX="+u.prefix); err != nil || said != "a daemon still runs: end it\n" {
		t.Errorf("%v\n%s", err, said)
	}

	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v\n%s", err, log.Bytes())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("TERM does not end the daemon")
	}
	if err := syscall.Kill(-daemon.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("of the process group of %d there is something left: %v", daemon.Process.Pid, err)
	}
	if _, err := os.Stat(filepath.Join(u.home, "voice-input/control.sock")); err == nil {
		t.Error("the socket is left")
	}
}

// A service may begin before the session has told its display. Then none is
// guessed, whatever sockets there are: the text goes nowhere, and the error says
// what is missing (P4).
func TestP4DisplayIsNotGuessed(t *testing.T) {
	u := newUser(t)
	u.install(t)
	var asked atomic.Int32
	for _, display := range []string{"wayland-1", "wayland-0"} { // the second beside the first
		l, err := net.Listen("unix", filepath.Join(u.home, display))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := os.Chmod(filepath.Join(u.home, display), 0o777); err != nil {
			t.Fatal(err)
		}
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				asked.Add(1)
				c.Close()
			}
		}()
		for _, to := range []string{"auto", "wayland", "clipboard", "type"} {
			cmd := u.command(t.Context(), filepath.Join(u.prefix, "bin/vi-type"), "--text", "--to", to)
			cmd.Stdin = strings.NewReader("words")
			out, err := cmd.CombinedOutput()
			if exitCode(err) != 69 || !strings.Contains(string(out), "WAYLAND_DISPLAY") {
				t.Errorf("%s: --to %s: %v\n%s", display, to, err, out)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("a display was asked %d times", n)
	}
}

// Where a service manager answers, the service is started, and stopped before
// it is removed. Its client here writes down what it is asked, which needs no
// root, unlike a manager of its own.
func TestServiceManager(t *testing.T) {
	u := newUser(t)
	if os.Getuid() == 0 && u.credential == nil {
		t.Fatal("root's own service would be asked")
	}
	calls, broken := filepath.Join(u.home, "calls"), filepath.Join(u.home, "broken")
	fake := filepath.Join(u.home, "bin/systemctl")
	u.output(t, "sh", "-c", `mkdir "$(dirname "$1")" && printf '%s\n' '#!/bin/sh' "echo \"\$*\" >>$2; [ \$2 != enable ] || [ ! -e $3 ]" >"$1" && chmod 755 "$1"`, "sh", fake, calls, broken)
	for i, v := range u.env {
		if strings.HasPrefix(v, "PATH=") {
			u.env[i] = "PATH=" + filepath.Dir(fake) + ":" + strings.TrimPrefix(v, "PATH=")
		}
	}
	asked := func() string {
		text, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(calls)
		return strings.ReplaceAll(string(text), u.prefix, "PREFIX")
	}
	if said := u.install(t); !strings.Contains(said, "voice-input.service runs") {
		t.Errorf("it says\n%s", said)
	}
	start := "--user show-environment\n--user daemon-reload\n" +
		"--user enable --now PREFIX/share/systemd/user/voice-input.socket PREFIX/share/systemd/user/voice-input.service\n"
	stop := "--user show-environment\n--user disable --now voice-input.socket voice-input.service\n--user daemon-reload\n"
	if got := asked(); got != start {
		t.Errorf("install asks\n%swant\n%s", got, start)
	}
	u.install(t)
	if got := asked(); got != stop+start {
		t.Errorf("another install asks\n%swant\n%s", got, stop+start)
	}
	if out, err := u.script(t, "uninstall"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := asked(); got != stop {
		t.Errorf("uninstall asks\n%swant\n%s", got, stop)
	}
	// A service that does not start is no success.
	u.output(t, "touch", broken)
	if said, err := u.script(t, "install"); exitCode(err) != 69 || !strings.Contains(said, "cannot start voice-input.service") {
		t.Errorf("%v\n%s", err, said)
	}
	os.Remove(calls)
	// Into a stage nothing is asked.
	u.install(t, "DESTDIR="+filepath.Join(u.home, "stage"))
	if text, err := os.ReadFile(calls); err == nil {
		t.Errorf("with DESTDIR install asks\n%s", strconv.Quote(string(text)))
	}
}
