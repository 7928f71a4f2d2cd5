package focus

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"voice-input/pkg/internal/desktoptest"
)

// BenchmarkLook measures vi-focus as a command against "kitty @ ls" as one,
// and hyprctl where it is installed, with a real Kitty and a Hyprland that
// answers at once. The budget is a tenth.
func BenchmarkLook(b *testing.B) {
	dir := b.TempDir()
	desktoptest.Run(b, os.Environ(), "go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-o", dir+"/", "voice-input/cmd/vi-focus")
	display := desktoptest.X11(b)
	desktoptest.Openbox(b, []string{"DISPLAY=" + display, "PATH=" + os.Getenv("PATH"), "HOME=" + dir})
	k := desktoptest.StartKitty(b, []string{"DISPLAY=" + display}, "/tmp/kitty-KITTY_PID", play(program(b, dir, "codex"))...)
	env := hyprlandAnswer(b, fmt.Sprintf(`{"class":"kitty","pid":%d,"address":"0x1"}`, k.PID))
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	run := func(argv ...string) time.Duration {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = environ, "/"
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%q: %v: %s", argv, err, out)
		}
		return time.Since(start)
	}
	desktoptest.Until(b, "Kitty's focus", func() bool {
		l := looker(b, env)
		l.Explain = func(string, ...any) {}
		return l.Look(b.Context()).Agent != nil
	})
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		ours += run(filepath.Join(dir, "vi-focus"))
		theirs += run("kitty", "@", "--to", "unix:"+k.Socket, "ls")
		if _, err := exec.LookPath("hyprctl"); err == nil {
			theirs += run("hyprctl", "activewindow", "-j")
		}
		n++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.Microseconds())/float64(n)/1e3, "vi-focus-ms")
	b.ReportMetric(float64(theirs.Microseconds())/float64(n)/1e3, "commands-ms")
	b.ReportMetric(float64(theirs)/float64(ours), "times-faster(10)")
}

// BenchmarkLookInProcess is a look without the start of a program.
func BenchmarkLookInProcess(b *testing.B) {
	dir := b.TempDir()
	display := desktoptest.X11(b)
	desktoptest.Openbox(b, []string{"DISPLAY=" + display, "PATH=" + os.Getenv("PATH"), "HOME=" + dir})
	k := desktoptest.StartKitty(b, []string{"DISPLAY=" + display}, "/tmp/kitty-KITTY_PID", play(program(b, dir, "codex"))...)
	l := looker(b, hyprlandAnswer(b, fmt.Sprintf(`{"class":"kitty","pid":%d}`, k.PID)))
	l.Explain = func(string, ...any) {}
	desktoptest.Until(b, "Kitty's focus", func() bool { return l.Look(b.Context()).Agent != nil })
	b.ReportAllocs()
	for b.Loop() {
		if l.Look(b.Context()).Agent == nil {
			b.Fatal("no agent")
		}
	}
}
