package paste

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// keepVariable tells a process that it is a keeper, and of which desktop. It
// holds nothing else; what is kept comes on standard input and as open files.
const keepVariable = "VI_TYPE_KEEP"

// kept and lost are a keeper's answers.
const (
	kept = "kept"
	lost = "lost"
)

// keeperEnv is what a keeper needs to find the desktop.
var keeperEnv = []string{"WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "HOME"}

// charge is what a keeper is told: the snapshot, whose files are descriptors
// 3 and up in the order of the items, and how it knows the offer that it may
// replace.
type charge struct {
	Snapshot *Snapshot `json:"snapshot"`
	Token    string    `json:"token"`
}

// Keep starts a process that takes the selections over from the offer that
// token names and serves the snapshot until something else is copied or the
// desktop ends. It is this very program, started anew, so that nothing of the
// text stays in its memory; it sleeps in between. It returns ErrLost if the
// offer was replaced meanwhile.
func (s *Snapshot) Keep(ctx context.Context, desktop, token string, getenv func(string) string) error {
	note, err := json.Marshal(charge{s, token})
	if err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args[0] = os.Args[0]
	cmd.Dir = "/"
	// One thread is enough for a process that sleeps.
	cmd.Env = []string{keepVariable + "=" + desktop, "GOMAXPROCS=1"}
	for _, name := range keeperEnv {
		if v := getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for _, i := range append(s.Clipboard[:len(s.Clipboard):len(s.Clipboard)], s.Primary...) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, i.file)
	}
	// It outlives this process and its group, whoever ends that.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd.Stdout = w
	err = cmd.Start()
	w.Close()
	if err != nil {
		return fmt.Errorf("cannot start the process that keeps the clipboard: %w", err)
	}
	go cmd.Wait() // a caller that lives on must not collect dead keepers
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	_, err = in.Write(note)
	in.Close()
	answer, readErr := bufio.NewReader(io.LimitReader(r, 16)).ReadString('\n')
	switch strings.TrimSpace(answer) {
	case kept:
		return nil
	case lost:
		return ErrLost
	}
	cmd.Process.Kill()
	return fmt.Errorf("the process that keeps the clipboard failed: %w", errors.Join(ctx.Err(), err, readErr))
}

// Charge is a keeper's side of Keep. It returns nil if this process is not a
// keeper of the desktop. The answer says whether the selections were taken
// over.
func Charge(desktop string, getenv func(string) string) (s *Snapshot, token string, answer func(taken bool), err error) {
	if getenv(keepVariable) != desktop {
		return nil, "", nil, nil
	}
	// Types have at most 255 bytes each in X11, and hardly more elsewhere.
	note, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<20))
	if err != nil {
		return nil, "", nil, err
	}
	var c charge
	if err := json.Unmarshal(note, &c); err != nil || c.Snapshot == nil {
		return nil, "", nil, fmt.Errorf("cannot read what is to be kept: %w", err)
	}
	// The kernel has named it after /proc/self/exe.
	os.WriteFile("/proc/self/comm", []byte("vi-type"), 0)
	fd := uintptr(3)
	for _, list := range [][]*Item{c.Snapshot.Clipboard, c.Snapshot.Primary} {
		for _, i := range list {
			syscall.CloseOnExec(int(fd))
			i.file = os.NewFile(fd, "clipboard")
			fd++
		}
	}
	return c.Snapshot, c.Token, func(taken bool) {
		word := lost
		if taken {
			word = kept
		}
		fmt.Println(word)
		os.Stdout.Close()
	}, nil
}

// Token returns a name that no other offer has.
func Token() string { return rand.Text() }
