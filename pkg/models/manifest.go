package models

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"github.com/pelletier/go-toml/v2"
)

// Manifest lists the models that can be fetched.
type Manifest struct {
	Models []Model `toml:"model"`
}

// Model is a set of files that an engine program loads together.
type Model struct {
	Name      string `toml:"name"`      // its directory, and what --model takes
	Engine    string `toml:"engine"`    // the engine program that loads it
	Format    string `toml:"format"`    // ggml or ct2
	Licence   string `toml:"licence"`   // SPDX identifier
	Languages string `toml:"languages"` // for a person: "99", "en"
	Summary   string `toml:"summary"`
	Files     []File `toml:"file"`
}

// File is one file of a model.
type File struct {
	Name   string `toml:"name"`
	URL    string `toml:"url"`
	Size   int64  `toml:"size"`   // bytes
	SHA256 string `toml:"sha256"` // lower-case hexadecimal
}

// Size is the number of bytes of all files.
func (m *Model) Size() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Find returns the model of that name, or nil.
func (m *Manifest) Find(name string) *Model {
	for i := range m.Models {
		if m.Models[i].Name == name {
			return &m.Models[i]
		}
	}
	return nil
}

// safeName is what may become the name of a file. It cannot begin with a dot,
// so it neither leaves its directory nor meets what is being fetched.
var safeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// maxSize bounds a file, in bytes. The largest Whisper model has 3.1 GB.
const maxSize = 16 << 30

// Parse reads a manifest and refuses one that names a file unsafely, without
// its hash, or at an address that is not protected.
func Parse(data []byte) (*Manifest, error) {
	var m Manifest
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, _ := at.Position()
			return nil, fmt.Errorf("line %d: %w", row, err)
		}
		return nil, err
	}
	seen := map[string]bool{}
	for _, model := range m.Models {
		if !safeName.MatchString(model.Name) || seen[model.Name] {
			return nil, fmt.Errorf("model %q: its name is unsafe or used twice", model.Name)
		}
		seen[model.Name] = true
		if err := model.check(); err != nil {
			return nil, fmt.Errorf("model %q: %w", model.Name, err)
		}
	}
	return &m, nil
}

func (m *Model) check() error {
	if m.Engine == "" || m.Licence == "" || len(m.Files) == 0 {
		return errors.New("engine, licence or files are missing")
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		if !safeName.MatchString(f.Name) || seen[f.Name] || filepath.Ext(f.Name) == partSuffix {
			return fmt.Errorf("file %q: its name is unsafe or used twice", f.Name)
		}
		seen[f.Name] = true
		if f.Size <= 0 || f.Size > maxSize {
			return fmt.Errorf("file %q: its size is not between 1 byte and 16 GiB", f.Name)
		}
		if b, err := hex.DecodeString(f.SHA256); err != nil || len(b) != 32 || hex.EncodeToString(b) != f.SHA256 {
			return fmt.Errorf("file %q: sha256 is not 64 lower-case hexadecimal digits", f.Name)
		}
		u, err := url.Parse(f.URL)
		if err != nil || !mayFetch(u) {
			return fmt.Errorf("file %q: its address is not https", f.Name)
		}
	}
	return nil
}

// mayFetch tells whether an address is protected: https, or this machine.
func mayFetch(u *url.URL) bool {
	switch u.Scheme {
	case "https":
		return u.Hostname() != ""
	case "http":
		ip := net.ParseIP(u.Hostname())
		return ip != nil && ip.IsLoopback()
	}
	return false
}

// ManifestPath returns where the manifest lies: in share, which is $VI_SHARE,
// if that is set, else beside the program: ../share/voice-input as it is
// installed, ../share as in the source tree. The error wraps fs.ErrNotExist.
func ManifestPath(share, program string) (string, error) {
	const name = "models.toml"
	places := []string{filepath.Join(share, name)}
	if share == "" {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		up := filepath.Join(filepath.Dir(program), "..", "share")
		places = []string{filepath.Join(up, "voice-input", name), filepath.Join(up, name)}
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("cannot find the list of models %q: %w", places[0], fs.ErrNotExist)
}
