package models

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const good = `[[model]]
name = "m"
engine = "whisper"
licence = "MIT"
[[model.file]]
name = "a.bin"
url = "https://example.org/a.bin"
size = 3
sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
`

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		{"good", "", "", ""},
		{"loopback", "https://example.org", "http://127.0.0.1:8080", ""},
		{"loopback 6", "https://example.org", "http://[::1]:8080", ""},
		{"plain http", "https://", "http://", "not https"},
		{"a host that only looks like loopback", "https://example.org", "http://127.0.0.1.example.org", "not https"},
		{"file", "https://example.org", "file:///etc", "not https"},
		{"parent", `"a.bin"`, `"../a.bin"`, "unsafe"},
		{"hidden", `"a.bin"`, `".a"`, "unsafe"},
		{"taken for incomplete", `"a.bin"`, `"a.part"`, "unsafe"},
		{"model outside", `"m"`, `"../m"`, "unsafe"},
		{"no hash", `sha256 = "ba78`, `sha256 = "BA78`, "sha256"},
		{"short hash", "20015ad", "2001", "sha256"},
		{"no size", "size = 3", "size = 0", "size"},
		{"huge", "size = 3", "size = 99999999999999", "size"},
		{"no licence", `licence = "MIT"`, "", "licence"},
		{"unknown key", `licence = "MIT"`, "licence = \"MIT\"\nlicense = \"MIT\"", "line"},
		{"not TOML", "[[model]]", "[[model", "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(strings.Replace(good, tt.old, tt.new, 1)))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Parse: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Parse: %v, want an error with %q", err, tt.want)
			}
		})
	}
	if _, err := Parse([]byte(good + good)); err == nil {
		t.Error("a name that is used twice was taken")
	}
}

// TestShipped reads the manifest that is installed.
func TestShipped(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../share/models.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whisper-tiny", "whisper-base", "whisper-small", "faster-whisper-base"} {
		if m.Find(name) == nil {
			t.Errorf("model %q is missing", name)
		}
	}
	for _, model := range m.Models {
		for _, f := range model.Files {
			// A branch would change under its hash.
			if strings.Contains(f.URL, "/resolve/main/") {
				t.Errorf("%s: %q is not pinned to a revision", model.Name, f.Name)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("[[model]]\nname = 1"))
	f.Add([]byte("model = []"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		for _, model := range m.Models {
			for _, file := range model.Files {
				path := filepath.Join("/store", model.Name, file.Name)
				if filepath.Dir(filepath.Dir(path)) != "/store" {
					t.Errorf("%q leaves its directory", path)
				}
			}
		}
	})
}

func TestManifestPath(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := write("bin/voice-input")
	link := filepath.Join(root, "link")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	if _, err := ManifestPath("", program); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	tree := write("share/models.toml")
	if got, err := ManifestPath("", link); err != nil || got != tree {
		t.Errorf("in a source tree, through a link: %q, %v", got, err)
	}
	installed := write("share/voice-input/models.toml")
	if got, err := ManifestPath("", program); err != nil || got != installed {
		t.Errorf("installed: %q, %v", got, err)
	}
	own := write("own/models.toml")
	if got, err := ManifestPath(filepath.Dir(own), program); err != nil || got != own {
		t.Errorf("VI_SHARE: %q, %v", got, err)
	}
}
