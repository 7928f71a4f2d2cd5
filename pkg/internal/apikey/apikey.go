// Package apikey finds the key of a service, and keeps it from being printed
// and from programs that do not need it.
package apikey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/internal/child"
)

// Bounds of a key and of the command that prints it.
const (
	// maxKey: the longest keys that services give out are a few kilobytes (JSON
	// web tokens).
	maxKey = 64 << 10
	// commandTime is enough for a password manager that asks its agent, and too
	// short to hold up a take for good.
	commandTime = 5 * time.Second
)

// Key is a secret. Printing it in any way shows that it is one and no more.
type Key struct{ value string }

// Reveal returns the secret itself, for the head of a request.
func (k Key) Reveal() string { return k.value }

// Empty tells that there is no key.
func (k Key) Empty() bool { return k.value == "" }

const hidden = "[key]"

// String implements fmt.Stringer.
func (Key) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Key) GoString() string { return hidden }

// MarshalText implements encoding.TextMarshaler.
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Source says where a key may lie. The first place that has one counts, in the
// order of the fields.
type Source struct {
	// Credential is the name of a file in $CREDENTIALS_DIRECTORY, where systemd
	// puts what LoadCredential= names.
	Credential string
	// File is the path of a file that nobody else may read.
	File string
	// Command prints the key.
	Command []string
	// Environ names variables, the first that is set counts.
	Environ []string
}

// ErrNone says that there is a key in none of the places.
var ErrNone = errors.New("no key")

// Find returns the key. There being none is an error with status 77, which
// wraps ErrNone, and a hint that names the places; so is a key that is there and cannot be used.
func (s Source) Find(ctx context.Context, getenv func(string) string) (Key, error) {
	if dir := getenv("CREDENTIALS_DIRECTORY"); dir != "" && s.Credential != "" {
		// systemd keeps the directory to the service; the mode of the file is
		// 0400 or, in a unit of the user, whatever it chose.
		k, err := fromFile(filepath.Join(dir, s.Credential), false)
		if !errors.Is(err, os.ErrNotExist) {
			return k, refuse("credential", err)
		}
	}
	if s.File != "" {
		k, err := fromFile(s.File, true)
		return k, refuse("api_key_file", err)
	}
	if len(s.Command) > 0 {
		k, err := fromCommand(ctx, s.Command)
		return k, refuse("api_key_command", err)
	}
	for _, name := range s.Environ {
		if v := getenv(name); v != "" {
			k, err := parse([]byte(v))
			return k, refuse("$"+name, err)
		}
	}
	return Key{}, cli.Errorf(cli.StatusNoPerm, "%w", ErrNone).WithHint("%s", s.places())
}

// places says where a key would be looked for.
func (s Source) places() string {
	places := []string{"api_key_file or api_key_command in the configuration"}
	if s.Credential != "" {
		places = append(places, "the systemd credential "+s.Credential)
	}
	for _, name := range s.Environ {
		places = append(places, "$"+name)
	}
	return "give one by " + strings.Join(places, ", or ")
}

func refuse(where string, err error) error {
	if err == nil {
		return nil
	}
	return cli.Errorf(cli.StatusNoPerm, "cannot use the key of %s: %w", where, err)
}

// errMode says that others could read a key.
var errMode = errors.New("others may read the file; chmod 600 it")

func fromFile(path string, private bool) (Key, error) {
	// A FIFO without a writer would hold up the take.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return Key{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return Key{}, err
	case !info.Mode().IsRegular():
		return Key{}, errors.New("it is no regular file")
	case private && info.Mode().Perm()&0o077 != 0:
		return Key{}, errMode
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return Key{}, err
	}
	return parse(b)
}

func fromCommand(ctx context.Context, argv []string) (Key, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTime, fmt.Errorf("no answer within %s", commandTime))
	defer cancel()
	out := &child.Output{Max: maxKey + 1}
	if err := child.Run(ctx, child.Spec{Argv: argv, Stdout: out}); err != nil {
		return Key{}, err
	}
	return parse(out.Bytes())
}

// parse checks what is given as a key. It goes into the head of a request, so
// there must be nothing in it that ends a line.
func parse(b []byte) (Key, error) {
	if len(b) > maxKey {
		return Key{}, fmt.Errorf("it is longer than %d KiB", maxKey>>10)
	}
	s := strings.TrimSpace(string(b))
	switch {
	case s == "":
		return Key{}, errors.New("it is empty")
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return Key{}, errors.New("it holds a blank, a control character or a character beyond ASCII")
	}
	return Key{s}, nil
}

// Variables names the environment variables that hold keys of services: those
// that this project reads, by the name that their providers gave them. No
// other program needs to see them.
var Variables = []string{
	"DASHSCOPE_API_KEY", "OPENAI_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY",
	"VOICE_INPUT_ASR_API_KEY", "VOICE_INPUT_LLM_API_KEY",
}

// Scrub returns an environment without keys, for a program that needs none,
// and without the directory of credentials.
func Scrub(env []string, keep ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(keep, name) && (slices.Contains(Variables, name) || name == "CREDENTIALS_DIRECTORY")
	})
}
