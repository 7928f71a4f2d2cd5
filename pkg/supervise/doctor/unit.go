package doctor

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/internal/child"
	"voice-input/pkg/wire"
)

const (
	// unitName is the unit that setup prints and that the packages install.
	unitName = "voice-input.service"
	// userCredentials is the systemd whose user manager can decrypt the
	// credentials of a unit; plain ones it knows since 252. See the systemd pull
	// request 35536 and the issue 37598.
	userCredentials = 258
	// exitCredentials is EXIT_CREDENTIALS of systemd.exec(5).
	exitCredentials = "243"
	// settleTime is for a service that is being started.
	settleTime = 2 * time.Second
)

// unit looks at the user service. That there is none is no fault: the desktop
// may start the daemon.
func unit(ctx context.Context, d *clinic) []wire.Check {
	ask := func(args ...string) string {
		out := &child.Output{Max: maxOutput}
		argv := append([]string{"systemctl", "--user"}, args...)
		if child.Run(ctx, child.Spec{Argv: argv, Env: apikey.Scrub(os.Environ()), Stdout: out}) != nil {
			return ""
		}
		return out.String()
	}
	manager := properties(ask("show", "--property=Version"))
	if manager["Version"] == "" {
		return one(wire.CheckNote, "no systemd of this user answers", "let the desktop start voice-input daemon when the session begins")
	}
	// The look at the daemon may have started it, by its socket.
	state := properties(ask("show", "--property=LoadState,ActiveState,ExecMainStatus", unitName))
	for end := time.Now().Add(settleTime); state["ActiveState"] == "activating" && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(100 * time.Millisecond)
		state = properties(ask("show", "--property=LoadState,ActiveState,ExecMainStatus", unitName))
	}
	return unitChecks(major(manager["Version"]), state, decrypts(ask("cat", unitName)))
}

// unitChecks tells what is wrong with the unit; encrypted says that credentials
// are to be decrypted for it.
func unitChecks(version int, unit map[string]string, encrypted bool) []wire.Check {
	old := encrypted && version > 0 && version < userCredentials
	// What ends at once and is started again is activating for most of the time.
	failed := unit["ActiveState"] == "failed" || unit["ActiveState"] == "activating"
	switch {
	case unit["LoadState"] == "not-found" || unit["LoadState"] == "":
		return one(wire.CheckNote, "systemd knows no "+unitName, "voice-input setup systemd prints it")
	case unit["LoadState"] != "loaded":
		return one(wire.CheckFailed, unitName+" cannot be loaded", "systemctl --user status voice-input says why")
	case failed && unit["ExecMainStatus"] == exitCredentials && old:
		return one(wire.CheckFailed, fmt.Sprintf("systemd %d cannot decrypt the credentials of a user's unit", version), plainCredentials)
	case failed && unit["ExecMainStatus"] == exitCredentials:
		return one(wire.CheckFailed, "the unit's credentials cannot be loaded", "each LoadCredential= must name a file that is there and yours")
	case failed:
		return one(wire.CheckFailed, unitName+" has failed, or does not get ready", "journalctl --user --unit voice-input says why; systemctl --user restart voice-input")
	case old:
		return one(wire.CheckWarning, fmt.Sprintf("systemd %d may not decrypt the credentials of a user's unit", version), plainCredentials)
	case unit["ActiveState"] == "inactive":
		return one(wire.CheckNote, unitName+" does not run", "systemctl --user enable --now voice-input.socket voice-input.service")
	}
	return ok(unitName + " runs")
}

var plainCredentials = fmt.Sprintf("use LoadCredential= with a file of mode 0600, or systemd %d", userCredentials)

// properties reads the lines of "systemctl show".
func properties(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		m[name] = value
	}
	return m
}

// major returns 252 of "252.38-1~deb12u1", 0 of what is no version.
func major(version string) int {
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	n, _ := strconv.Atoi(version[:end])
	return n
}

// decrypts tells whether a unit's text has credentials that are encrypted.
func decrypts(text string) bool {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch strings.TrimSpace(name) {
		case "LoadCredentialEncrypted", "SetCredentialEncrypted":
			if strings.TrimSpace(value) != "" {
				return true
			}
		}
	}
	return false
}
