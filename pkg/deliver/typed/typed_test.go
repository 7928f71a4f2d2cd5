package typed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/deliver/driver"
	"voice-input/pkg/internal/desktoptest"
	"voice-input/pkg/wire"
)

func focused(context.Context) error { return nil }

// Real wtype types everything into a real terminal, a dash at the start too.
func TestO2Wtype(t *testing.T) {
	desktoptest.Need(t, "wtype")
	c := desktoptest.Sway(t)
	r := desktoptest.NewReader(t, false)
	c.Foot(t, r.Command...)
	r.Ready()
	d, missing := New(t.Context(), desktoptest.Getenv(c.Env(t)), driver.Options{Focused: focused})
	if d == nil {
		t.Fatal(missing)
	}
	for _, text := range []string{"--help", "-rf 这个参数", "-", "plain text", "👩‍👩‍👧", strings.Repeat("abc ", 40)} {
		verified, warnings, err := d.Deliver(t.Context(), text)
		if verified != wire.VerifiedNothing || len(warnings) > 0 || err != nil {
			t.Fatalf("%q, %v, %v", verified, warnings, err)
		}
		if got := r.Next(len(text)); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	d.options.Submit = true
	if _, warnings, err := d.Deliver(t.Context(), "done"); err != nil || len(warnings) > 0 {
		t.Errorf("%v, %v", warnings, err)
	}
	if got := r.Next(5); got != "done\r" {
		t.Errorf("got %q", got)
	}
}

// fakes returns an environment whose programs write what they were given.
func fakes(t *testing.T, script string) (getenv func(string) string, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"wtype", "xdotool"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncd "+dir+"\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return desktoptest.Getenv([]string{"PATH=" + os.Getenv("PATH"), "WAYLAND_DISPLAY=none"}), dir
}

// The text is on standard input, never in an argument or the environment.
func TestO2TextIsNoArgument(t *testing.T) {
	getenv, dir := fakes(t, "echo \"$@\" >>argv; env >>env; cat >>stdin\n")
	d, _ := New(t.Context(), getenv, driver.Options{Focused: focused})
	for _, p := range []program{wtype, xdotool} {
		d.program = p
		d.variable = "WAYLAND_DISPLAY" // no X server is asked for its keys
		if _, _, err := d.Deliver(t.Context(), "--secret words"); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string { b, _ := os.ReadFile(filepath.Join(dir, name)); return string(b) }
	if read("stdin") != "--secret words--secret words" || strings.Contains(read("argv")+read("env"), "secret") {
		t.Errorf("standard input %q, arguments %q", read("stdin"), read("argv"))
	}
}

// A newline would press Return, so it is refused.
func TestO8NewlineIsNotTyped(t *testing.T) {
	getenv, dir := fakes(t, "cat >typed\n")
	d, _ := New(t.Context(), getenv, driver.Options{Focused: focused})
	if _, _, err := d.Deliver(t.Context(), "one\ntwo"); !errors.Is(err, driver.ErrUnsent) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "typed")); err == nil {
		t.Error("the program ran")
	}
}

// xdotool gets no text that it types wrong.
func TestO13HanNeverGoesToXdotool(t *testing.T) {
	getenv, _ := fakes(t, "cat >typed\n")
	d, _ := New(t.Context(), getenv, driver.Options{Focused: focused})
	d.program = xdotool
	if _, _, err := d.Deliver(t.Context(), "汉"); !errors.Is(err, driver.ErrUnsent) || strings.Contains(err.Error(), "汉") {
		t.Errorf("got %v", err)
	}
}

// A text that takes too long is not begun, a program that hangs is ended, and
// nothing is typed once the focus has moved.
func TestEnds(t *testing.T) {
	getenv, dir := fakes(t, "cat >>typed; [ ! -e hang ] || sleep 1000\n")
	looks := 0
	d, _ := New(t.Context(), getenv, driver.Options{Focused: func(context.Context) error {
		if looks++; looks > 2 {
			return driver.ErrTargetChanged
		}
		return nil
	}})
	if _, _, err := d.Deliver(t.Context(), strings.Repeat("x", 3*piece)); !errors.Is(err, driver.ErrTargetChanged) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "typed")); len(b) != 2*piece {
		t.Errorf("%d characters were typed", len(b))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, _, err := d.Deliver(ctx, strings.Repeat("x", 10_000)); !errors.Is(err, driver.ErrUnsent) {
		t.Errorf("got %v", err)
	}
	os.WriteFile(filepath.Join(dir, "hang"), nil, 0o600)
	d.options.Focused = focused
	if _, _, err := d.Deliver(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrUnsent) {
		t.Errorf("got %v", err)
	}
}

func TestNew(t *testing.T) {
	_, _ = fakes(t, "")
	x11 := &wire.Focus{Desktop: &wire.Desktop{Kind: "x11"}}
	for _, tt := range []struct {
		env    []string
		target *wire.Focus
		want   string
	}{
		{[]string{"WAYLAND_DISPLAY=w", "DISPLAY=:1"}, nil, "wtype"},
		{[]string{"DISPLAY=:1"}, nil, "xdotool"},
		{[]string{"WAYLAND_DISPLAY=w", "DISPLAY=:1"}, x11, "xdotool"},
		{nil, nil, ""},
	} {
		d, missing := New(t.Context(), desktoptest.Getenv(tt.env), driver.Options{Target: tt.target})
		if (d == nil) != (tt.want == "") || d != nil && d.program.name != tt.want || d == nil && missing == "" {
			t.Errorf("%v: %+v, %q", tt.env, d, missing)
		}
	}
}
