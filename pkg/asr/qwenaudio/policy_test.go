package qwenaudio

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
)

// A service that is told speech and answers nothing is taken for dead; one
// that hears a pause is not, however long, heartbeats or no heartbeats.
func TestStall(t *testing.T) {
	mute := func(beats bool) func(*peer) {
		return func(p *peer) {
			p.accept()
			p.listen(engine.BytesPerSecond)
			p.sentence(1, "so far", true)
			for i := 1; p.listen(i*engine.BytesPerSecond) == nil; i++ {
				if beats {
					p.heartbeat()
				}
			}
		}
	}
	for _, beats := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var lost time.Duration
			tr := begin(t, native.StreamingOnly, nil, mute(beats), func(p *peer) {
				lost = time.Since(p.began)
				works("all of it")(p)
			})
			tr.speak(speech(time.Second))
			tr.speak(silence(65 * time.Second)) // 66 s
			tr.speak(speech(20 * time.Second))
			tr.stop()
			r := tr.end()
			if r.err != nil || r.text != "all of it" || lost < 76*time.Second || lost > 79*time.Second {
				t.Errorf("heartbeats %t: lost at %s, %+v", beats, lost, r)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.StreamingOnly, nil, mute(beats))
			tr.speak(silence(5 * time.Minute))
			tr.stop()
			if f := failureOf(tr.end().err); f.Code != "not_finished" || tr.connections() != 1 {
				t.Errorf("heartbeats %t: silence is a stall: %+v", beats, f)
			}
		})
	}
	// A replacement that is mute too is not replaced: it has until the end.
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, nil, mute(false), mute(false))
		tr.speak(speech(60 * time.Second))
		tr.stop()
		r := tr.end()
		if f := failureOf(r.err); f.Text != "so far" || f.Code != "not_finished" || !near(r.at, 68*time.Second) {
			t.Errorf("%+v", r)
		}
	})
}

// The native pass is run when and only when the table says so, with the whole
// recording, and starts the moment the stream is known to be bad.
func TestNativePass(t *testing.T) {
	const word = engine.BytesPerSecond
	usable := works("by stream")
	lose := func(p *peer) { p.accept(); p.listen(word); p.sentence(1, "so far", true); p.hangUp(1011) }
	empty := func(p *peer) {
		p.accept()
		if p.listen(-1) == errFinish {
			p.say(finished, `{}`)
		}
	}
	never := func(p *peer) { p.accept(); p.listen(word); p.sentence(1, "so far", true); p.listen(-1); <-p.closed }
	refused := func(p *peer) { p.ask(); p.fail("InvalidApiKey", "") }
	failed := &engine.Failure{Kind: engine.Timeout, Code: "no_answer", Err: context.DeadlineExceeded}
	type test struct {
		name     string
		mode     native.Mode
		services []func(*peer)
		seconds  int
		silent   bool
		context  bool
		pass     answer
		want     string // "!" and the code of the failure, its text behind a blank
		calls    int
		at       time.Duration // of the pass
	}
	for _, tt := range []test{
		{"streaming only", native.StreamingOnly, []func(*peer){usable}, 5, false, false, answer{}, "by stream", 0, 0},
		{"streaming only, failed", native.StreamingOnly, []func(*peer){refused}, 5, false, false, answer{}, "!InvalidApiKey ", 0, 0},
		{"always", native.Always, []func(*peer){usable}, 5, false, false, answer{text: "by pass"}, "by pass", 1, 5 * time.Second},
		{"always, failed", native.Always, []func(*peer){usable}, 5, false, false, answer{err: failed}, "by stream", 1, 5 * time.Second},
		{"always, empty", native.Always, []func(*peer){usable}, 5, false, false, answer{empty: true}, "by stream", 1, 5 * time.Second},
		{"always, silence", native.Always, []func(*peer){empty}, 5, true, false, answer{text: "Thank you."}, "", 0, 0},
		{"always does not wait for the stream", native.Always, []func(*peer){never}, 5, false, false, answer{text: "by pass", takes: time.Second}, "by pass", 1, 5 * time.Second},
		{"healthy", native.Adaptive, []func(*peer){usable}, 5, false, false, answer{}, "by stream", 0, 0},
		{"J6 30 s with context", native.Adaptive, []func(*peer){usable}, 30, false, true, answer{}, "by stream", 0, 0},
		{"J6 30 s without", native.Adaptive, []func(*peer){usable}, 30, false, false, answer{text: "by pass"}, "by pass", 1, 30 * time.Second},
		{"empty", native.Adaptive, []func(*peer){empty}, 5, false, true, answer{text: "by pass"}, "by pass", 1, 5 * time.Second},
		{"empty twice", native.Adaptive, []func(*peer){empty}, 5, false, true, answer{empty: true}, "", 1, 5 * time.Second},
		{"empty, silence", native.Adaptive, []func(*peer){empty}, 5, true, true, answer{text: "Thank you."}, "", 0, 0},
		{"A2 empty although somebody spoke", native.StreamingOnly, []func(*peer){empty}, 4, false, true, answer{}, "!no_words ", 0, 0},
		{"not finished", native.Adaptive, []func(*peer){never}, 5, false, true, answer{text: "by pass"}, "by pass", 1, 13 * time.Second},
		{"not finished, failed", native.Adaptive, []func(*peer){never}, 5, false, true, answer{err: failed}, "!not_finished so far", 1, 13 * time.Second},
		{"A12 refused", native.Adaptive, []func(*peer){refused}, 5, false, true, answer{text: "by pass"}, "by pass", 1, 0},
		{"refused twice", native.Adaptive, []func(*peer){refused}, 5, false, true, answer{err: failed}, "!InvalidApiKey ", 1, 0},
		{"replaced", native.Adaptive, []func(*peer){lose, usable}, 5, false, true, answer{}, "by stream", 0, 0},
		{"A6 lost twice", native.Adaptive, []func(*peer){lose, lose}, 5, false, true, answer{text: "by pass"}, "by pass", 1, 1200 * time.Millisecond},
		{"A6 lost twice, failed", native.Adaptive, []func(*peer){lose, lose}, 5, false, true, answer{err: failed}, "!close_1011 so far", 1, 1200 * time.Millisecond},
		{"A6 lost twice, streaming only", native.StreamingOnly, []func(*peer){lose, lose}, 5, false, true, answer{}, "!close_1011 so far", 0, 0},
		{"replacement refused", native.StreamingOnly, []func(*peer){lose, refused}, 5, false, true, answer{}, "!InvalidApiKey so far", 0, 0},
		{"no connection for the replacement", native.StreamingOnly, []func(*peer){lose, nil, nil}, 5, false, true, answer{}, "!not_connected so far", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := begin(t, tt.mode, func(tr *trial) {
					tr.native.answer = tt.pass
					if tt.context {
						tr.take.Hints = func(context.Context) engine.Hints { return hintsOfTest }
					}
				}, tt.services...)
				pcm := speech(time.Duration(tt.seconds) * time.Second)
				if tt.silent {
					pcm = silence(time.Duration(tt.seconds) * time.Second)
				}
				tr.speak(pcm)
				tr.stop()
				r := tr.end()
				want, fails := strings.CutPrefix(tt.want, "!")
				f := failureOf(r.err)
				if !fails && (r.err != nil || r.text != want) || fails && (r.text != "" || f.Code+" "+f.Text != want) {
					t.Errorf("%+v, code %q, text %q", r, f.Code, f.Text)
				}
				p := tr.native
				if p.calls != tt.calls || tt.calls > 0 && (p.at < tt.at || p.at > tt.at+200*time.Millisecond) {
					t.Errorf("%d calls, the first at %s", p.calls, p.at)
				}
				if p.calls > 0 && !bytes.Equal(p.heard, pcm) {
					t.Errorf("the pass heard %d bytes of %d", len(p.heard), len(pcm))
				}
				if p.calls > 0 && tt.context && (p.hints.Context != hintsOfTest.Context || len(p.hints.Vocabulary) != 3) {
					t.Errorf("the pass was given %+v", p.hints)
				}
			})
		})
	}
}

// A recording that has ended is not told to a replacement if the native pass
// is faster, nor told to its end.
func TestAbandonedForTheNativePass(t *testing.T) {
	withContext := func(tr *trial) {
		tr.native.text = "by pass"
		tr.take.Hints = func(context.Context) engine.Hints { return hintsOfTest }
	}
	t.Run("before", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.Adaptive, withContext, func(p *peer) {
				p.accept()
				p.listen(59 * engine.BytesPerSecond)
				time.Sleep(time.Second)
				p.hangUp(1006)
			})
			tr.tape.Write(speech(60 * time.Second))
			tr.stop()
			if r := tr.end(); r.text != "by pass" || tr.connections() != 1 || !near(r.at, time.Second) {
				t.Errorf("%+v, %d connections", r, tr.connections())
			}
		})
	})
	t.Run("in the middle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.Adaptive, withContext, func(p *peer) {
				p.accept()
				p.follow(100 * engine.BytesPerSecond)
				p.hangUp(1006)
			}, works("by stream"))
			tr.speak(speech(105 * time.Second))
			tr.stop()
			if r := tr.end(); r.text != "by pass" || tr.connections() != 2 || !near(r.at, 105*time.Second) || tr.peer(2).size() > 25*engine.BytesPerSecond {
				t.Errorf("%+v, %d connections", r, tr.connections())
			}
		})
	})
	t.Run("not if it has nearly caught up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.Adaptive, withContext, func(p *peer) {
				p.accept()
				p.follow(10 * engine.BytesPerSecond)
				p.hangUp(1006)
			}, works("by stream"))
			tr.speak(speech(12 * time.Second))
			tr.stop()
			if r := tr.end(); r.text != "by stream" || tr.native.called() != 0 || !near(r.at, 13*time.Second) {
				t.Errorf("%+v", r)
			}
		})
	})
}

// A service that takes the samples too slowly is left for the native pass, and
// what it has heard is kept without one.
func TestOverload(t *testing.T) {
	slow := func(p *peer) {
		p.accept()
		p.sentence(1, "so far", true)
		for i := 1; p.listen(i*packet) == nil; i++ {
			time.Sleep(time.Second)
			p.sentence(1, "so far", true)
		}
	}
	for _, mode := range []native.Mode{native.StreamingOnly, native.Adaptive} {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, mode, func(tr *trial) {
				tr.native.text = "by pass"
				tr.take.Hints = func(context.Context) engine.Hints { return hintsOfTest }
			}, slow)
			tr.speak(speech(20 * time.Second))
			tr.stop()
			r := tr.end()
			f := failureOf(r.err)
			if mode == native.Adaptive && (r.text != "by pass" || r.at > 26*time.Second) {
				t.Errorf("%+v", r)
			}
			if mode == native.StreamingOnly && (f.Text != "so far" || f.Code != "too_slow" || f.Kind != engine.Timeout || !near(r.at, 33*time.Second)) {
				t.Errorf("%+v, text %q", r, f.Text)
			}
			// C1: what was taken was taken once and in order.
			if got := tr.peer(1).samples(); !bytes.Equal(got, speech(20 * time.Second)[:len(got)]) {
				t.Error("samples were lost or sent twice")
			}
		})
	}
}

// 65 s of silence are no reason for anything.
func TestSilenceWithHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.Adaptive, nil, func(p *peer) {
			p.accept()
			for i := 1; ; i++ {
				if p.listen(i*engine.BytesPerSecond) != nil {
					p.say(finished, `{"output":{}}`)
					return
				}
				p.heartbeat()
			}
		})
		tr.speak(silence(65 * time.Second))
		tr.stop()
		r := tr.end()
		if r.text != "" || r.err != nil || tr.native.called() != 0 || !strings.Contains(string(tr.peer(1).run), `"heartbeat":true`) || len(tr.events) != 1 {
			t.Errorf("%+v, events %q", r, tr.events)
		}
	})
}

// Cancelling at any step ends everything at once, and nothing is sent any more.
func TestRule_J1_CancelAtEveryStep(t *testing.T) {
	lose := func(p *peer) { p.accept(); p.listen(packet); p.hangUp(1006) }
	wait := func(p *peer) { <-p.closed }
	mute := func(p *peer) { p.accept(); p.listen(-1); <-p.closed }
	slowHints := func(tr *trial) {
		tr.take.Hints = func(ctx context.Context) engine.Hints { <-ctx.Done(); return engine.Hints{} }
	}
	hang := func(tr *trial) {
		dial := tr.engine.dial
		tr.engine.dial = func(ctx context.Context, url string, head http.Header) (conn, error) {
			dial(ctx, url, head)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	for _, tt := range []struct {
		name     string
		setup    func(*trial)
		mode     native.Mode
		ended    bool
		services []func(*peer)
	}{
		{"while dialling", hang, native.Always, false, []func(*peer){wait}},
		{"before the second try", nil, native.Always, false, []func(*peer){nil, nil, nil}},
		{"while waiting for the terms", slowHints, native.Always, false, []func(*peer){wait}},
		{"while asking", nil, native.Always, false, []func(*peer){wait}},
		{"before the task begins", nil, native.Always, false, []func(*peer){func(p *peer) { p.ask(); <-p.closed }}},
		{"while it hears", nil, native.Always, false, []func(*peer){mute}},
		{"while a write waits", nil, native.Always, false, []func(*peer){func(p *peer) { p.accept(); <-p.closed }}},
		{"while it finishes", nil, native.StreamingOnly, true, []func(*peer){mute}},
		{"while the replacement is asked for", nil, native.Always, false, []func(*peer){lose, func(p *peer) { p.ask(); <-p.closed }}},
		{"while the replacement is told", nil, native.StreamingOnly, true, []func(*peer){lose, mute}},
		{"during the native pass", func(tr *trial) { tr.native.takes = time.Hour }, native.Always, true, []func(*peer){mute}},
		{"during the native pass, before the end", nil, native.Adaptive, false, []func(*peer){func(p *peer) { p.ask(); p.fail("SERVER_ERROR", "") }}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, after := range []time.Duration{0, time.Millisecond, 100 * time.Millisecond, 1500 * time.Millisecond} {
				synctest.Test(t, func(t *testing.T) {
					tr := begin(t, tt.mode, tt.setup, tt.services...)
					tr.tape.Write(speech(20 * time.Second))
					if tt.ended {
						tr.stop()
					}
					time.Sleep(after)
					select {
					case r := <-tr.result:
						if tt.name == "before the second try" {
							tr.finish()
							return
						}
						t.Fatalf("after %s it had ended: %+v", after, r)
					default:
					}
					tr.cancel()
					at := time.Since(tr.began)
					r := tr.end()
					if r.err != context.Canceled || r.text != "" || r.at > at+100*time.Millisecond {
						t.Errorf("after %s: ended %s later, %+v", after, r.at-at, r)
					}
					for i := range tr.connections() {
						for _, f := range tr.peer(i + 1).frames {
							if f.at > at {
								t.Errorf("after %s: sent %s later", after, f.at-at)
							}
						}
					}
				})
			}
		})
	}
}

// C2, A4: what is left of a packet goes out before the end is told, whatever
// the length, and in packets of 100 ms.
func TestC2Tail(t *testing.T) {
	for _, bytes := range []int{0, 2, packet - 2, packet, packet + 2, 3*packet + 640, 3*packet + 641} {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.StreamingOnly, nil, works("hello"))
			pcm := speech(time.Second)[:bytes]
			for len(pcm) > 0 {
				n := min(len(pcm), 777)
				tr.tape.Write(pcm[:n])
				pcm = pcm[n:]
				time.Sleep(time.Millisecond)
			}
			tr.stop()
			tr.end()
			p := tr.peer(1)
			if got := p.size(); got != bytes&^1 {
				t.Errorf("%d of %d bytes", got, bytes)
			}
			for i, f := range p.frames[:len(p.frames)-1] {
				if len(f.data) != packet && i != len(p.frames)-2 || len(f.data)%2 != 0 {
					t.Errorf("packet %d of %d bytes", i, len(f.data))
				}
			}
		})
	}
}
