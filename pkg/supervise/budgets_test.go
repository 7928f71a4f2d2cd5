package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"voice-input/pkg/config"
	"voice-input/pkg/wire"
)

// A recognition may take what all engines together may, and no longer.
func TestRecognitionTime(t *testing.T) {
	slow := config.Service{}.Defaults()
	slow.RequestTimeoutMS = 120_000
	for _, tt := range []struct {
		name  string
		cfg   config.ASR
		ready bool
		want  time.Duration // for 10 s of audio
	}{
		{"program", config.ASR{Engine: "local"}, false, 110 * time.Second},
		{"program that has its model", config.ASR{Engine: "local"}, true, 50 * time.Second},
		{"service", config.ASR{Engine: "qwen-audio3"}, true, 88 * time.Second},
		{"service of the user's", config.ASR{Engine: "mine", Service: map[string]config.Service{"mine": slow}}, false, 188 * time.Second},
		{"service, then program", config.ASR{Engine: "openai", Fallback: []string{"local"}}, true, 198 * time.Second},
	} {
		if got := recognitionTime(tt.cfg, 10*time.Second, tt.ready); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A recogniser that falls silent is given up: soon once it has its model, and
// not before the model had its time to load.
func TestSilentRecogniserIsGivenUp(t *testing.T) {
	const never = -time.Hour
	for name, tt := range map[string]struct{ ready, want time.Duration }{ // after the last sample
		"ready before": {-time.Second, answerTime},
		"ready later":  {40 * time.Second, 40*time.Second + answerTime},
		"never ready":  {never, loadTime + answerTime},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "samples"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			synctest.Test(t, func(t *testing.T) {
				sm := newSamples(f)
				events := make(chan *wire.ASR)
				begun := time.Now()
				time.AfterFunc(2*time.Second, sm.finish)
				if tt.ready != never {
					time.AfterFunc(2*time.Second+tt.ready, func() { events <- &wire.ASR{Type: wire.ASRReady} })
				}
				r := &recognizer{engines: config.Default().ASR}
				_, err := r.follow(t.Context(), sm, events, func(*wire.ASR) {})
				if got := time.Since(begun) - 2*time.Second; !errors.Is(err, context.DeadlineExceeded) || got != tt.want {
					t.Errorf("given up after %s, want %s: %v", got, tt.want, err)
				}
			})
		})
	}
}
