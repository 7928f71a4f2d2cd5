package doctor

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

// stagePrograms are those that lie beside voice-input.
var stagePrograms = strings.Fields("vi-focus vi-session vi-terms vi-capture vi-asr vi-refine vi-type")

func programs(_ context.Context, d *clinic) []wire.Check {
	var missing []string
	for _, name := range stagePrograms {
		if _, err := exec.LookPath(filepath.Join(d.dir, name)); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return one(wire.CheckFailed, strings.Join(missing, ", ")+" not beside voice-input", "install the whole package: its programs find each other by their directory")
	}
	return ok("all stages lie beside this program, which is of version " + cli.Version())
}

func configuration(_ context.Context, d *clinic) []wire.Check {
	if d.configErr != nil {
		return one(wire.CheckFailed, "it has errors and cannot be used; what follows is told for the defaults", "voice-input config check says which")
	}
	return ok("it can be read")
}

func runtimeDir(_ context.Context, d *clinic) []wire.Check {
	base := filepath.Dir(d.runtime)
	var st unix.Stat_t
	switch err := unix.Stat(base, &st); {
	case err != nil:
		return one(wire.CheckFailed, "XDG_RUNTIME_DIR names no directory", "log in by a session of systemd or elogind, or set it to a directory of yours with mode 0700")
	case int(st.Uid) != os.Getuid():
		return one(wire.CheckFailed, "XDG_RUNTIME_DIR belongs to another user", "run it as the user of the desktop")
	case st.Mode&0o077 != 0:
		return one(wire.CheckWarning, "others can look into XDG_RUNTIME_DIR", "chmod 700 it; the directory of voice-input in it is private all the same")
	case unix.Access(base, unix.W_OK) != nil:
		return one(wire.CheckFailed, "XDG_RUNTIME_DIR cannot be written", "make room in it, or mount it for writing")
	}
	return ok("it is private")
}

// sessionVariables are those that a program needs to find the desktop and the
// sound of the user.
var sessionVariables = strings.Fields("WAYLAND_DISPLAY DISPLAY HYPRLAND_INSTANCE_SIGNATURE SWAYSOCK NIRI_SOCKET PULSE_SERVER DBUS_SESSION_BUS_ADDRESS")

// daemon looks at the daemon that runs, and at whether it was started with the
// variables of this session: a user service that was started before the
// desktop has none of them.
func daemon(ctx context.Context, d *clinic) []wire.Check {
	pid, err := d.daemonPID(ctx)
	if err != nil {
		return one(wire.CheckFailed, "no daemon answers", "systemctl --user start voice-input, or run voice-input daemon; voice-input setup systemd prints the units")
	}
	var differ []string
	for _, name := range sessionVariables {
		theirs, there, err := d.proc.Env(pid, name)
		if err != nil {
			return one(wire.CheckNote, "it answers; its environment cannot be read", "")
		}
		if own := d.getenv(name); own != "" && (!there || theirs != own) {
			differ = append(differ, name)
		}
	}
	if len(differ) > 0 {
		return one(wire.CheckWarning, "it was started without this session's "+strings.Join(differ, ", "),
			"systemctl --user import-environment "+strings.Join(differ, " ")+" && systemctl --user restart voice-input")
	}
	return ok("it answers, and has the variables of this session")
}

// daemonPID returns the process at the other end of the control socket.
func (d *clinic) daemonPID(ctx context.Context) (int, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(d.runtime, "control.sock"))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) { cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	if int(cred.Uid) != os.Getuid() {
		return 0, fmt.Errorf("it belongs to another user")
	}
	return int(cred.Pid), nil
}

func sound(ctx context.Context, d *clinic) []wire.Check {
	lines, err := d.ask(ctx, "vi-capture", "sources")
	if err != nil {
		return one(wire.CheckFailed, "no sound server answers", "systemctl --user start pipewire pipewire-pulse wireplumber, or start PulseAudio")
	}
	wanted := d.cfg.Audio.Source
	var microphones int
	var source *wire.CaptureSource
	for _, line := range lines {
		s := new(wire.CaptureSource)
		if wire.Decode(line, s) != nil {
			continue
		}
		if !s.Monitor {
			microphones++
		}
		if s.Name == wanted || wanted == "" && s.Default {
			source = s
		}
	}
	switch {
	case source == nil && wanted != "":
		return one(wire.CheckFailed, "the source that [audio].source names is not there", "vi-capture sources lists those that are")
	case source == nil || microphones == 0:
		return one(wire.CheckFailed, "there is no microphone", "connect one, or choose a profile with an input for the sound card")
	case source.Muted:
		return one(wire.CheckFailed, "the microphone is muted", "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0, or pactl set-source-mute @DEFAULT_SOURCE@ 0")
	case !source.Available:
		return one(wire.CheckWarning, "the sound card says that no microphone is plugged in", "plug it in, or choose another one with [audio].source")
	case source.Monitor:
		return one(wire.CheckWarning, "what is recorded is the sound that is played, not a microphone", "choose a microphone with [audio].source")
	}
	return ok("the microphone is there and not muted")
}
