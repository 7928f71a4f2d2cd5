package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func TestServers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		env     map[string]string
		sockets []string
		refused []string
	}{
		{"nothing set", nil, []string{"/run/user/1000/pulse/native"}, nil},
		{"runtime directory", map[string]string{"XDG_RUNTIME_DIR": "/r"}, []string{"/r/pulse/native"}, nil},
		{"relative runtime directory", map[string]string{"XDG_RUNTIME_DIR": "r"}, []string{"/run/user/1000/pulse/native"}, nil},
		{"own directory of PulseAudio", map[string]string{"XDG_RUNTIME_DIR": "/r", "PULSE_RUNTIME_PATH": "/p"}, []string{"/p/native"}, nil},
		{"blank server", map[string]string{"XDG_RUNTIME_DIR": "/r", "PULSE_SERVER": " "}, []string{"/r/pulse/native"}, nil},
		{"unix", map[string]string{"PULSE_SERVER": "unix:/a"}, []string{"/a"}, nil},
		{"path", map[string]string{"PULSE_SERVER": "/a"}, []string{"/a"}, nil},
		{"list", map[string]string{"PULSE_SERVER": "unix:/a  /b\tunix:/c"}, []string{"/a", "/b", "/c"}, nil},
		{"list with tcp", map[string]string{"PULSE_SERVER": "tcp:h:4713 unix:/a tcp6:[::1] tcp4:1.2.3.4"}, []string{"/a"}, []string{"tcp:h:4713", "tcp6:[::1]", "tcp4:1.2.3.4"}},
		{"host", map[string]string{"PULSE_SERVER": "localhost"}, nil, []string{"localhost"}},
		{"relative path", map[string]string{"PULSE_SERVER": "unix:a"}, nil, []string{"unix:a"}},
		{"no path", map[string]string{"PULSE_SERVER": "unix:"}, nil, []string{"unix:"}},
		{"this machine", map[string]string{"PULSE_SERVER": "{me}unix:/a {id}/b"}, []string{"/a", "/b"}, nil},
		{"another machine", map[string]string{"PULSE_SERVER": "{other}unix:/a"}, nil, nil},
		{"open brace", map[string]string{"PULSE_SERVER": "{me/a"}, nil, []string{"{me/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sockets, refused := servers(place{getenv: env(tt.env), uid: 1000, machines: []string{"me", "id"}})
			if !slices.Equal(sockets, tt.sockets) || !slices.Equal(refused, tt.refused) {
				t.Errorf("sockets %q, refused %q; want %q, %q", sockets, refused, tt.sockets, tt.refused)
			}
		})
	}
}

// FuzzServers checks that nothing but an absolute path is ever connected to.
func FuzzServers(f *testing.F) {
	for _, s := range []string{"", "unix:/a", "/a", "{me}unix:/a", "tcp:h", "{", "{}", "unix:", "a b", "{me}tcp:h unix:/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		sockets, refused := servers(place{getenv: env(map[string]string{"PULSE_SERVER": list}), machines: []string{"me"}})
		for _, s := range sockets {
			if !filepath.IsAbs(s) {
				t.Errorf("%q gives %q", list, s)
			}
		}
		if n := len(strings.Fields(list)); len(sockets)+len(refused) > max(n, 1) {
			t.Errorf("%q gives %q and %q", list, sockets, refused)
		}
	})
}

func TestCookie(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(dir, path)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("home/.config/pulse/cookie", "home")
	write("config/pulse/cookie", "config")
	write("old/.pulse-cookie", "old")
	long := write("long", strings.Repeat("x", 1000))
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"home", map[string]string{"HOME": dir + "/home"}, "home"},
		{"config directory", map[string]string{"HOME": dir + "/home", "XDG_CONFIG_HOME": dir + "/config"}, "config"},
		{"old place", map[string]string{"HOME": dir + "/old"}, "old"},
		{"named", map[string]string{"HOME": dir + "/home", "PULSE_COOKIE": long}, strings.Repeat("x", cookieSize)},
		{"none", map[string]string{"HOME": dir}, ""},
	} {
		want := make([]byte, cookieSize)
		copy(want, tt.want)
		if got := cookie(env(tt.env)); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
