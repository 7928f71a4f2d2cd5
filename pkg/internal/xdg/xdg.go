// Package xdg says where the files of voice-input lie, after the XDG Base
// Directory Specification.
package xdg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

const name = "voice-input"

// ConfigFile returns the path of the user's configuration:
// $XDG_CONFIG_HOME/voice-input/config.toml.
func ConfigFile(getenv func(string) string) string {
	return filepath.Join(home(getenv, "XDG_CONFIG_HOME", ".config"), name, "config.toml")
}

// DataDir returns $XDG_DATA_HOME/voice-input.
func DataDir(getenv func(string) string) string {
	return filepath.Join(home(getenv, "XDG_DATA_HOME", ".local/share"), name)
}

// StateDir returns $XDG_STATE_HOME/voice-input.
func StateDir(getenv func(string) string) string {
	return filepath.Join(home(getenv, "XDG_STATE_HOME", ".local/state"), name)
}

// home returns the absolute directory in the variable, else the one below
// $HOME. The specification has relative paths ignored.
func home(getenv func(string) string, variable, fallback string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(getenv("HOME"), fallback)
}

// RuntimeDir returns $XDG_RUNTIME_DIR/voice-input, or /run/user/UID/voice-input
// where the variable is missing, as in a bare SSH session or a system service.
func RuntimeDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return filepath.Join("/run/user", strconv.Itoa(os.Getuid()), name)
}

// PrivateDir makes dir with mode 0700 and returns an error unless it is then
// a directory of this user that nobody else can look into.
func PrivateDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("cannot make private directory: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("cannot look at %q: %w", dir, err)
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fmt.Errorf("%q is not a directory", dir)
	case int(st.Uid) != os.Getuid():
		return fmt.Errorf("%q belongs to another user", dir)
	case st.Mode&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}
