package supervise

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"voice-input/pkg/config"
	"voice-input/pkg/internal/sdnotify"
)

// reloadOnHUP reads the configuration again at each HUP, until ctx ends. A
// wrong file changes nothing: the last good one stays in force.
func (d *daemon) reloadOnHUP(ctx context.Context, path string, getenv func(string) string) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hup:
			}
			sdnotify.Notify(getenv, fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", monotonic()))
			cfg, err := config.Load(path, getenv)
			d.post(func() { d.reload(cfg, err) })
			sdnotify.Notify(getenv, "READY=1")
		}
	}()
}

// monotonic is the clock that systemd compares with, in µs.
func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return ts.Nano() / 1000
}

// reload takes a configuration over, now or when the take at hand has ended.
func (d *daemon) reload(cfg config.Config, err error) {
	if err != nil {
		d.fail("config", err, "the configuration before it stays in force")
		return
	}
	d.fresh = &cfg
	d.takeOver()
}

// takeOver makes a configuration that was read the one in force, unless a take
// is at hand.
func (d *daemon) takeOver() {
	if d.fresh == nil || d.take != nil {
		return
	}
	cfg := *d.fresh
	d.fresh = nil
	st, err := d.stages.with(cfg)
	if err != nil {
		d.fail("config", err, "the configuration before it stays in force")
		return
	}
	asr, ranker := d.asr, d.ranker
	d.mic.close()
	go func() {
		asr.close(shutdownTime)
		ranker.close(shutdownTime)
	}()
	d.equip(cfg, st)
	d.warm()
	select {
	case <-d.told: // nobody has looked at the one before
	default:
	}
	d.told <- cfg.Feedback
	io.WriteString(d.log, "voice-input: the configuration was read again\n")
}
