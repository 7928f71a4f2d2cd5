package soundtest

import (
	"os"
	"path/filepath"
	"testing"
)

// PipeWire starts PipeWire with pipewire-pulse and WirePlumber.
func PipeWire(t testing.TB) *Server {
	t.Helper()
	require(t, "pipewire", "wireplumber", "pipewire-pulse", "dbus-daemon", "pactl")
	s := newServer(t)
	exists := func(path string) func() bool {
		return func() bool {
			_, err := os.Stat(path)
			return err == nil
		}
	}
	config := filepath.Join(s.Home, "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start("dbus-daemon", "--config-file="+config, "--address=unix:path="+s.bus(), "--nofork", "--nopidfile")
	s.WaitFor("the bus", exists(s.bus()))
	s.core = s.start("pipewire")
	s.WaitFor("PipeWire", exists(filepath.Join(s.RuntimeDir, "pipewire-0")))
	s.start("wireplumber")
	s.clients = s.start("pipewire-pulse")
	s.WaitFor("pipewire-pulse", func() bool {
		_, err := s.TryPactl("info")
		return err == nil
	})
	s.Load("module-null-sink", "sink_name=speaker")
	s.Load("module-remap-source", "master=speaker.monitor", "source_name=mic", "channels=1")
	s.WaitFor("the default source", func() bool {
		s.TryPactl("set-default-source", "mic")
		out, err := s.TryPactl("get-default-source")
		return err == nil && out == "mic"
	})
	return s
}

// busConfig is a bus that starts no services: they would outlive the test.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
