package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manage gives the user a service manager, the real systemd, as a login does.
// It must believe that the machine was booted with systemd, and have a control
// group of its own; both take root, and a container may not give them.
func (u *user) manage(t *testing.T) {
	t.Helper()
	need(t, "systemctl", "unshare", "setpriv", "findmnt")
	if u.credential == nil {
		t.Skip("only root can start a service manager for somebody else")
	}
	mounted, err := exec.Command("findmnt", "--noheadings", "--first-only", "--types", "cgroup2", "--output", "TARGET").Output()
	if err == nil {
		err = exec.Command("unshare", "--mount", "true").Run()
	}
	if err != nil {
		t.Skipf("this machine lets nobody start a service manager: %v", err)
	}
	group := filepath.Join(strings.TrimSpace(string(mounted)), filepath.Base(u.home))
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("this machine gives no control group: %v", err)
	}
	t.Cleanup(func() { removeGroup(t, group) })
	script := fmt.Sprintf(`set -e
chown -R %[1]d:%[2]d "$1"
echo $$ >"$1/cgroup.procs"
mkdir -p /run/systemd
mount -t tmpfs tmpfs /run/systemd
mkdir /run/systemd/system
exec setpriv --reuid %[1]d --regid %[2]d --clear-groups /lib/systemd/systemd --user`, u.credential.Uid, u.credential.Gid)
	var said bytes.Buffer
	manager := exec.Command("unshare", "--mount", "sh", "-c", script, "sh", group)
	manager.Env, manager.Dir, manager.Stderr, manager.WaitDelay = u.env, "/", &said, time.Second
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		manager.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		manager.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Error("the service manager did not end")
			manager.Process.Kill()
			<-ended
		}
	})
	until(t, "the service manager answers", func() bool {
		select {
		case <-ended:
			t.Skipf("this machine lets nobody start a service manager: it ended at once: %s", said.Bytes())
		default:
		}
		return u.command(t.Context(), "systemctl", "--user", "show-environment").Run() == nil
	})
}

// removeGroup kills what is left in a control group, and removes it.
func removeGroup(t *testing.T, group string) {
	until(t, "no control group", func() bool {
		var dirs []string
		filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil: // it has gone meanwhile
			case d.IsDir():
				dirs = append(dirs, path)
			case d.Name() == "cgroup.procs":
				pids, _ := os.ReadFile(path)
				for _, pid := range strings.Fields(string(pids)) {
					if n, err := strconv.Atoi(pid); err == nil && n > 1 {
						syscall.Kill(n, syscall.SIGKILL)
					}
				}
			}
			return nil
		})
		for _, dir := range slices.Backward(dirs) {
			os.Remove(dir)
		}
		_, err := os.Stat(group)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// unit asks systemd for a property of a unit.
func (u *user) unit(t *testing.T, name, property string) string {
	t.Helper()
	return u.output(t, "systemctl", "--user", "show", "--value", "--property="+property, name)
}

// Installed, the service runs under the user's systemd: it says that it is
// ready, comes back when it is killed, reads its configuration again, is
// started by its socket, ends without a word, and is gone when it is removed.
func TestP1P7ServiceUnderSystemd(t *testing.T) {
	u := newUser(t)
	u.manage(t)
	if said := u.install(t); !strings.Contains(said, "voice-input.service runs") {
		t.Fatalf("install says\n%s", said)
	}
	const service, socket = "voice-input.service", "voice-input.socket"
	client := filepath.Join(u.prefix, "bin/voice-input")
	idle := func() bool {
		out, _ := u.command(t.Context(), client, "status", "--format", "json").Output()
		return bytes.Contains(out, []byte(`"phase":"idle"`))
	}
	if state := u.unit(t, service, "ActiveState"); state != "active" {
		t.Fatalf("the service is %s", state)
	}
	if !idle() {
		t.Error("the daemon does not answer, though it is active")
	}
	checks, _ := u.command(t.Context(), client, "doctor", "--format", "json").Output() // status 1: there is no desktop
	if !bytes.Contains(checks, []byte(`"part":"service","state":"ok"`)) {
		t.Errorf("doctor says\n%s", checks)
	}

	first := u.unit(t, service, "MainPID")
	u.output(t, "systemctl", "--user", "reload", service)
	if pid := u.unit(t, service, "MainPID"); pid != first || !idle() {
		t.Errorf("after a reload the daemon is %s, not %s", pid, first)
	}
	u.output(t, "systemctl", "--user", "kill", "--signal=KILL", "--kill-who=main", service)
	until(t, "another daemon", func() bool {
		pid := u.unit(t, service, "MainPID")
		return pid != "0" && pid != first && idle()
	})

	u.output(t, "systemctl", "--user", "stop", service)
	if result := u.unit(t, service, "Result"); result != "success" {
		t.Errorf("the daemon ends with %s", result)
	}
	if state := u.unit(t, socket, "ActiveState"); state != "active" {
		t.Fatalf("the socket is %s", state)
	}
	if !idle() {
		t.Error("the socket does not start the daemon")
	}

	if out, err := u.script(t, "uninstall"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{service, socket} {
		if load := u.unit(t, name, "LoadState"); load != "not-found" {
			t.Errorf("%s is %s", name, load)
		}
	}
	// What the daemon keeps of the user's own stays; systemctl leaves the
	// directories of its links.
	for path := range tree(t, u.home) {
		if strings.HasPrefix(path, ".local/") && !strings.HasPrefix(path, ".local/state") || strings.HasPrefix(path, ".config/") && strings.Contains(path, "voice-input") {
			t.Errorf("uninstall leaves %s", path)
		}
	}
}

// A systemd that cannot decrypt a user's credentials ends the service with
// status 243; doctor says what to write instead.
func TestDoctorOfCredentials(t *testing.T) {
	u := newUser(t)
	u.manage(t)
	u.install(t)
	dir := filepath.Join(u.home, ".config/systemd/user/voice-input.service.d")
	drop := func(line string) string {
		t.Helper()
		u.output(t, "sh", "-c", `mkdir -p "$1" && printf '[Service]\nRestart=no\n%s\n' "$2" >"$1/key.conf"`, "sh", dir, line)
		u.output(t, "systemctl", "--user", "daemon-reload")
		u.command(t.Context(), "systemctl", "--user", "restart", "voice-input.service").Run()
		said, _ := u.command(t.Context(), filepath.Join(u.prefix, "bin/voice-input"), "doctor").Output()
		_, after, _ := strings.Cut(string(said), "service: ")
		return after
	}
	key := filepath.Join(u.home, "key")
	u.output(t, "sh", "-c", `umask 077; echo sentinel >"$1"`, "sh", key)
	if said := drop("LoadCredential=llm:" + key); !strings.HasPrefix(said, "voice-input.service runs") {
		t.Errorf("with a plain file: %.200s", said)
	}
	u.output(t, "chmod", "000", key)
	if said := drop("LoadCredential=llm:" + key); !strings.HasPrefix(said, "the unit's credentials cannot be loaded") {
		t.Errorf("with a file that cannot be read: %.200s", said)
	}
	if version := u.output(t, "systemctl", "--version"); strings.HasPrefix(version, "systemd 252 ") || strings.HasPrefix(version, "systemd 257 ") {
		u.output(t, "chmod", "600", key)
		if said := drop("LoadCredentialEncrypted=llm:" + key); !strings.Contains(said, "LoadCredential= with a file of mode 0600") {
			t.Errorf("with an encrypted file: %.200s", said)
		}
	}
}
