// Package setup prints what a desktop needs to know of voice-input: bindings
// of keys, a module for a bar, units for systemd.
package setup

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"voice-input/pkg/cli"
)

//go:embed text
var texts embed.FS

// snippets are the sub-commands, and the files that each prints.
var snippets = []struct {
	name, usage string
	files       []string
}{
	{"hyprland", "print bindings for Hyprland", []string{"hyprland"}},
	{"hyprland-lua", "print bindings for Hyprland in Lua", []string{"hyprland-lua"}},
	{"sway", "print bindings for sway", []string{"sway"}},
	{"niri", "print bindings for niri", []string{"niri"}},
	{"i3", "print bindings for i3", []string{"i3"}},
	{"waybar", "print a module for Waybar", []string{"waybar"}},
	{"systemd", "print the user units for systemd, or write them", []string{"voice-input.service", "voice-input.socket"}},
}

// Command is "voice-input setup".
func Command() *cli.Command {
	cmd := &cli.Command{Name: "setup", Usage: "print what the desktop needs: key bindings, a status module, units"}
	for _, s := range snippets {
		sub := &cli.Command{Name: s.name, Usage: s.usage}
		if s.name == "systemd" {
			sub.Flags = []cli.Flag{&cli.StringFlag{Name: "write", Usage: "write the units into `DIR` instead"}}
		}
		sub.Run = func(_ context.Context, o *cli.IO, c *cli.Call) error {
			if dir := c.String("write"); dir != "" {
				return write(dir, s.files)
			}
			return show(o, s.files)
		}
		cmd.Commands = append(cmd.Commands, sub)
	}
	return cmd
}

var (
	unwritable = regexp.MustCompile(`[[:cntrl:]"'\\$%]`)
	plain      = regexp.MustCompile(`^[A-Za-z0-9/._+@-]*$`)
)

// Text returns a file with the path of the program in it, in quotes where its
// reader would take it apart. It refuses a path that no reader takes.
func Text(file, program string) (string, error) {
	b, err := texts.ReadFile("text/" + file)
	if err != nil {
		return "", err
	}
	switch {
	case unwritable.MatchString(program):
		return "", cli.Errorf(cli.StatusCantCreate, "cannot write the path of this program, %q, into %s", program, file).WithHint("install it where no name has quotes, $, %% or \\")
	case plain.MatchString(program) || file == "niri": // niri runs the program itself
	case strings.HasPrefix(file, "voice-input."): // a unit
		program = `"` + program + `"`
	default: // a shell reads it
		program = "'" + program + "'"
	}
	return strings.ReplaceAll(string(b), "{{program}}", program), nil
}

// program is the path of the running one: hotkeys and units have another PATH
// than a shell.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", cli.Errorf(cli.StatusOSFile, "cannot find this program: %w", err)
	}
	return unwrapped(self), nil
}

// unwrapped returns the path that is meant for a program. Packages of Nix put a
// wrapper in the place of a program, which gives it its PATH, and the program
// as .NAME-wrapped beside it.
func unwrapped(path string) string {
	dir, name := filepath.Split(path)
	if inner, ok := strings.CutSuffix(name, "-wrapped"); ok && strings.HasPrefix(inner, ".") {
		return dir + inner[1:]
	}
	return path
}

func show(o *cli.IO, files []string) error {
	self, err := program()
	if err != nil {
		return err
	}
	for i, file := range files {
		text, err := Text(file, self)
		if err != nil {
			return err
		}
		if len(files) > 1 {
			text = "# ~/.config/systemd/user/" + file + "\n" + text
			if i > 0 {
				text = "\n" + text
			}
		}
		if _, err := fmt.Fprint(o.Stdout, text); err != nil {
			return cli.Errorf(cli.StatusIO, "cannot write to standard output: %w", err)
		}
	}
	return nil
}

// write puts the units into a directory, which is made if it is not there.
func write(dir string, files []string) error {
	self, err := program()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Errorf(cli.StatusCantCreate, "cannot make directory: %w", err)
	}
	for _, file := range files {
		text, err := Text(file, self)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return cli.Errorf(cli.StatusCantCreate, "cannot write unit: %w", err)
		}
		// Units are read by others than their user, whatever the umask.
		if err := os.Chmod(path, 0o644); err != nil {
			return cli.Errorf(cli.StatusCantCreate, "cannot write unit: %w", err)
		}
	}
	return nil
}
