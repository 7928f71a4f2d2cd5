package whole_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voice-input/tests/agents/fixture"
)

// startSound starts a PulseAudio of the lab's with one microphone, which hears
// what is written into a FIFO.
func (l *lab) startSound() {
	l.t.Helper()
	fixture.Need(l.t, "pulseaudio", "pactl")
	l.microphone = filepath.Join(l.dir, "microphone")
	script := filepath.Join(l.dir, "server.pa")
	l.write(script, "load-module module-native-protocol-unix\n"+
		"load-module module-pipe-source source_name=microphone file="+l.microphone+" format=s16le rate=16000 channels=1\n"+
		"set-default-source microphone\n")
	l.start("pulseaudio", "-n", "-F", script, "--daemonize=no", "--exit-idle-time=-1", "--log-target=file:"+filepath.Join(l.dir, "pulseaudio.log"))
	fixture.WaitFor(l.t, "the sound server", func() bool {
		cmd := exec.Command("pactl", "get-default-source")
		cmd.Env = l.env
		out, err := cmd.Output()
		return err == nil && strings.TrimSpace(string(out)) == "microphone"
	})
}

// speak says samples into the microphone at the pace of speech.
func (l *lab) speak(pcm []byte) {
	l.t.Helper()
	f, err := os.OpenFile(l.microphone, os.O_WRONLY, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	const step = 16000 / 100 * 2 // 10 ms of 16-bit samples
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(pcm) > 0 {
		f.SetWriteDeadline(time.Now().Add(time.Minute))
		n := min(step, len(pcm))
		if _, err := f.Write(pcm[:n]); err != nil {
			l.t.Fatalf("cannot speak: %v", err)
		}
		pcm = pcm[n:]
		<-tick.C
	}
}

// synthesise returns a sentence as 16,000 samples a second, with a pause at
// either end as a speaker makes it.
func synthesise(t testing.TB, sentence string) []byte {
	t.Helper()
	fixture.Need(t, "flite", "sox")
	wav := filepath.Join(t.TempDir(), "speech.wav")
	if out, err := exec.Command("flite", "-voice", "slt", "-o", wav, "-t", sentence).CombinedOutput(); err != nil {
		t.Fatalf("flite: %v: %s", err, out)
	}
	var pcm, errs bytes.Buffer
	// Without dither the samples are the same in each run.
	cmd := exec.Command("sox", "-D", wav, "-t", "raw", "-r", "16000", "-e", "signed", "-b", "16", "-c", "1", "-", "pad", "0.3", "0.3")
	cmd.Stdout, cmd.Stderr = &pcm, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("sox: %v: %s", err, errs.String())
	}
	return pcm.Bytes()
}
