package doctor

import (
	"strings"
	"testing"

	"voice-input/pkg/wire"
)

func TestUnitChecks(t *testing.T) {
	unit := func(load, active, status string) map[string]string {
		return map[string]string{"LoadState": load, "ActiveState": active, "ExecMainStatus": status}
	}
	for _, tt := range []struct {
		name      string
		version   int
		unit      map[string]string
		encrypted bool
		state     string
		says      string
	}{
		{"not asked", 252, nil, false, wire.CheckNote, "knows no"},
		{"not there", 252, unit("not-found", "inactive", "0"), false, wire.CheckNote, "knows no"},
		{"bad", 252, unit("bad-setting", "inactive", "0"), false, wire.CheckFailed, "cannot be loaded"},
		{"masked", 252, unit("masked", "inactive", "0"), false, wire.CheckFailed, "cannot be loaded"},
		{"runs", 252, unit("loaded", "active", "0"), false, wire.CheckOK, "runs"},
		{"is reloaded", 252, unit("loaded", "reloading", "0"), false, wire.CheckOK, "runs"},
		{"does not run", 252, unit("loaded", "inactive", "0"), false, wire.CheckNote, "does not run"},
		{"failed", 252, unit("loaded", "failed", "69"), false, wire.CheckFailed, "has failed"},
		{"fails again and again", 252, unit("loaded", "activating", "69"), false, wire.CheckFailed, "does not get ready"},
		{"no file, again and again", 252, unit("loaded", "activating", "243"), false, wire.CheckFailed, "cannot be loaded"},
		{"no file", 252, unit("loaded", "failed", "243"), false, wire.CheckFailed, "cannot be loaded"},
		{"old and encrypted", 257, unit("loaded", "failed", "243"), true, wire.CheckFailed, "systemd 257 cannot decrypt"},
		{"new and encrypted", 258, unit("loaded", "failed", "243"), true, wire.CheckFailed, "cannot be loaded"},
		{"old, and runs", 257, unit("loaded", "active", "0"), true, wire.CheckWarning, "systemd 257 may not decrypt"},
		{"old, and does not run", 252, unit("loaded", "inactive", "0"), true, wire.CheckWarning, "systemd 252 may not decrypt"},
		{"new, and runs", 258, unit("loaded", "active", "0"), true, wire.CheckOK, "runs"},
		{"unknown", 0, unit("loaded", "active", "0"), true, wire.CheckOK, "runs"},
	} {
		got := unitChecks(tt.version, tt.unit, tt.encrypted)
		if len(got) != 1 || got[0].State != tt.state || !strings.Contains(got[0].Detail, tt.says) {
			t.Errorf("%s: %+v, want %s: %s", tt.name, got, tt.state, tt.says)
		}
		if got[0].State != wire.CheckOK && got[0].Fix == "" {
			t.Errorf("%s: nothing to do", tt.name)
		}
	}
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"252.38-1~deb12u1": 252, "258": 258, "v258": 0, "": 0, "257-rc1": 257} {
		if got := major(version); got != want {
			t.Errorf("%q: %d, want %d", version, got, want)
		}
	}
}

func TestDecrypts(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		"LoadCredential=llm:/f\n":           false,
		"LoadCredentialEncrypted=llm:/f\n":  true,
		"LoadCredentialEncrypted=\n":        false,
		"SetCredentialEncrypted=llm: \\\n":  true,
		" LoadCredentialEncrypted = x:/f\n": true,
		"#LoadCredentialEncrypted=x:/f\n":   false,
	} {
		if got := decrypts(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
