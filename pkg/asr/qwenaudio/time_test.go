package qwenaudio

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/asr/socket"
)

// near tells whether a time is at most a second above what is expected, or as
// much as one packet below it.
func near(got, want time.Duration) bool {
	return got >= want-duration(packet) && got < want+time.Second
}

// J3: the connection is opened at once and the task waits for the terms, but
// no longer than the lesser of 5 s and connect_timeout.
func TestRule_J3_WaitForTheTerms(t *testing.T) {
	for _, tt := range []struct{ connect, terms, want time.Duration }{
		{5 * time.Second, 300 * time.Millisecond, 300 * time.Millisecond},
		{5 * time.Second, time.Hour, 5 * time.Second},
		{2 * time.Second, time.Hour, 2 * time.Second},
		{time.Minute, time.Hour, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked time.Duration
			tr := begin(t, native.StreamingOnly, func(tr *trial) {
				tr.engine.o.Connect = tt.connect
				tr.take.Hints = func(ctx context.Context) engine.Hints {
					if sleep(ctx, tt.terms) != nil {
						return engine.Hints{}
					}
					return engine.Hints{Context: "Terraform"}
				}
			}, func(p *peer) {
				p.ask()
				asked = time.Since(p.began)
				p.say(started, `{}`)
				if p.listen(-1) == errFinish {
					p.sentence(1, "hello", true)
					p.say(finished, `{}`)
				}
			})
			tr.tape.Write(speech(time.Second))
			tr.stop()
			r := tr.end()
			p := tr.peer(1)
			if p.dialed != 0 || asked != tt.want || r.text != "hello" {
				t.Errorf("%+v: dialed at %s, asked at %s, %+v", tt, p.dialed, asked, r)
			}
			if got := bytes.Contains(p.run, []byte("Terraform")); got != (tt.terms < tt.want+1) {
				t.Errorf("%+v: context %t", tt, got)
			}
			if !bytes.Equal(p.samples(), speech(time.Second)) {
				t.Errorf("%+v: the samples differ", tt)
			}
		})
	}
}

// The task has to begin in time; waiting for the terms is not the service's
// fault.
func TestStart(t *testing.T) {
	for delay, ok := range map[time.Duration]bool{0: true, 4900 * time.Millisecond: true, 5100 * time.Millisecond: false, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			tr := begin(t, native.StreamingOnly, func(tr *trial) {
				tr.take.Hints = func(ctx context.Context) engine.Hints { sleep(ctx, 3*time.Second); return engine.Hints{} }
			}, func(p *peer) {
				p.ask()
				select {
				case <-time.After(delay):
				case <-p.closed:
					return
				}
				p.say(started, `{}`)
				if p.listen(-1) == errFinish {
					p.sentence(1, "hello", true)
					p.say(finished, `{}`)
				}
			})
			tr.tape.Write(speech(10 * time.Second))
			tr.stop()
			r := tr.end()
			f := failureOf(r.err)
			if ok && (r.text != "hello" || r.err != nil) || !ok && (f.Code != "task_not_started" || f.Kind != engine.Timeout || !near(r.at, 8*time.Second)) {
				t.Errorf("%s: %+v", delay, r)
			}
		})
	}
}

// A first connection that does not come about is tried once more, soon.
func TestFirstConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, nil, nil, works("hello"))
		tr.tape.Write(speech(time.Second))
		tr.stop()
		if r := tr.end(); r.text != "hello" || r.at > time.Second {
			t.Errorf("%+v", r)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, nil, nil, nil)
		tr.tape.Write(speech(time.Second))
		r := tr.end() // though the recording goes on
		if f := failureOf(r.err); f.Kind != engine.Unavailable || f.Code != "not_connected" || r.at > time.Second {
			t.Errorf("%+v", r)
		}
	})
}

// A6: a connection lost while somebody speaks is replaced by one that hears
// everything from the first sample, four times as fast until it has caught up,
// and as it comes from then on.
func TestA6ReplayPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pcm := speech(100 * time.Second)
		tr := begin(t, native.StreamingOnly, nil, func(p *peer) {
			p.accept()
			p.follow(30 * engine.BytesPerSecond)
			p.sentence(1, "first task", true)
			p.hangUp(1011)
		}, works("second task"))
		tr.speak(pcm)
		tr.stop()
		r := tr.end()
		if r.err != nil || r.text != "second task" || tr.connections() != 2 {
			t.Fatalf("%+v, %d connections", r, tr.connections())
		}
		p := tr.peer(2)
		if !bytes.Equal(p.samples(), pcm) {
			t.Error("the replacement did not hear everything from the first sample")
		}
		caught := time.Duration(0)
		for i, f := range p.frames[:len(p.frames)-1] {
			sent := duration(int64(i) * packet)
			if rate := sent.Seconds() / (f.at - p.dialed).Seconds(); i > 0 && rate > 4.05 {
				t.Fatalf("packet %d came at %s, %.1f times as fast as speech", i, f.at-p.dialed, rate)
			}
			if caught == 0 && f.at < sent+200*time.Millisecond {
				caught = f.at
			}
		}
		// 30 s are caught up in 10 s, in which 10 s more are spoken.
		if !near(caught, 40*time.Second) || !near(r.at, 100*time.Second) {
			t.Errorf("caught up at %s, ended at %s", caught, r.at)
		}
		want := "ready; partial first task|; segment first task; reconnecting; reset; reconnected; partial second task|; segment second task"
		if got := strings.Join(tr.events, "; "); got != want {
			t.Errorf("events\n got %s\nwant %s", got, want)
		}
	})
}

// D4: a replacement is asked for the same thing, to the byte, in a task of
// another id.
func TestRule_D4_SameContextInReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, func(tr *trial) {
			calls := 0
			tr.take.Hints = func(context.Context) engine.Hints {
				calls++
				return engine.Hints{Context: fmt.Sprintf("Terraform\nRareModel%d", calls), Vocabulary: hintsOfTest.Vocabulary}
			}
		}, func(p *peer) {
			p.accept()
			p.listen(packet)
			p.hangUp(1006)
		}, works("hello"))
		tr.tape.Write(speech(time.Second))
		tr.stop()
		if r := tr.end(); r.text != "hello" {
			t.Fatalf("%+v", r)
		}
		one, two := tr.peer(1), tr.peer(2)
		if one.id == two.id || one.id == "" {
			t.Errorf("ids %q %q", one.id, two.id)
		}
		if a, b := strings.Replace(string(one.run), one.id, "", 1), strings.Replace(string(two.run), two.id, "", 1); a != b || !strings.Contains(a, `Terraform\nRareModel1`) {
			t.Errorf("orders\n%s\n%s", a, b)
		}
		if got := strings.Count(strings.Join(tr.events, " "), "context_sent"); got != 2 {
			t.Errorf("context_sent %d times", got)
		}
	})
}

// A recording of 300 s is told to a replacement, which takes 75 s when it has
// ended; a longer one is not.
func TestRetention(t *testing.T) {
	for extra, want := range map[int]int{0: 2, packet: 1} {
		synctest.Test(t, func(t *testing.T) {
			pcm := append(silence(300*time.Second), make([]byte, extra)...)
			services := []func(*peer){func(p *peer) {
				p.accept()
				p.listen(len(pcm))
				p.sentence(1, "so far", false)
				time.Sleep(time.Millisecond) // the length of the recording is known by then
				p.hangUp(1001)
			}, works("whole text")}
			tr := begin(t, native.StreamingOnly, nil, services[:want]...)
			tr.tape.Write(pcm)
			time.Sleep(time.Second)
			tr.stop()
			r := tr.end()
			if want == 2 && (r.text != "whole text" || r.at < 74*time.Second || r.at > 77*time.Second) {
				t.Errorf("at the limit: %+v", r)
			}
			if f := failureOf(r.err); want == 1 && (f.Text != "so far" || f.Code != "close_1001") {
				t.Errorf("above the limit: %+v", r)
			}
		})
	}
}

// A7, A4: the last words may take long as long as something comes, and no
// longer than the wait where nothing does. Heartbeats are nothing. What was
// heard is kept.
func TestA7Finalize(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(p *peer)
		want string // "!" and the text of the failure
		at   time.Duration
	}{
		{"A4 late last sentence", func(p *peer) {
			time.Sleep(2500 * time.Millisecond)
			p.sentence(2, "last words", true)
			p.say(finished, `{}`)
		}, "first last words", 2500 * time.Millisecond},
		{"A7 slow and steady", func(p *peer) {
			for i := range 10 {
				time.Sleep(2 * time.Second)
				p.sentence(2+i, "more", true)
			}
			p.say(finished, `{}`)
		}, "first" + strings.Repeat(" more", 10), 20 * time.Second},
		{"A4 never", func(p *peer) { <-p.closed }, "!first", 8 * time.Second},
		{"heartbeats only", func(p *peer) {
			for p.heartbeat() {
				time.Sleep(100 * time.Millisecond)
			}
		}, "!first", 8 * time.Second},
		{"the same for ever", func(p *peer) {
			for p.sentence(2, "more", false) {
				time.Sleep(time.Second)
			}
		}, "!first more", 8*time.Second + 240*time.Second},
		{"closes", func(p *peer) { time.Sleep(time.Second); p.hangUp(1011) }, "!first", time.Second},
		{"closes after more", func(p *peer) { p.sentence(2, "more", true); p.hangUp(1006) }, "!first more", 0},
		{"fails", func(p *peer) { p.sentence(2, "mo", false); p.fail("SERVER_ERROR", "sentinel") }, "!first mo", 0},
		{"no words", func(p *peer) { p.fail("NO_VALID_AUDIO_ERROR", "sentinel") }, "first", 0},
		{"idle", func(p *peer) { p.fail("CLIENT_ERROR", "request timeout after 23 seconds.") }, "!first", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := begin(t, native.StreamingOnly, nil, func(p *peer) {
					p.accept()
					p.sentence(1, "first", true)
					if p.listen(-1) == errFinish {
						tt.end(p)
					}
				})
				tr.tape.Write(silence(240 * time.Second))
				tr.stop()
				r := tr.end()
				text, fails := strings.CutPrefix(tt.want, "!")
				f := failureOf(r.err)
				switch {
				case !near(r.at, tt.at) || tr.connections() != 1:
					t.Errorf("ended at %s with %d connections", r.at, tr.connections())
				case !fails && (r.text != text || r.err != nil):
					t.Errorf("%+v", r)
				case fails && (r.text != "" || f.Text != text || strings.Contains(fmt.Sprint(r.err, f.Code), "sentinel")):
					t.Errorf("%+v, text %q", r, f.Text)
				}
			})
		})
	}
}

// What ends a task while it hears, and whether another one takes its place.
func TestLoss(t *testing.T) {
	for _, tt := range []struct {
		name    string
		end     func(p *peer)
		replace bool
		kind    string
		code    string
	}{
		{"closed 1000", func(p *peer) { p.hangUp(1000) }, true, engine.Crashed, ""},
		{"closed 1013", func(p *peer) { p.hangUp(1013) }, true, engine.Crashed, ""},
		{"broken off", func(p *peer) { p.hangUp(1006) }, true, engine.Crashed, ""},
		{"silent", func(p *peer) { p.gone <- &socket.LostError{Code: 1006, Silent: true} }, true, engine.Timeout, ""},
		{"takes nothing more", func(p *peer) { <-p.closed }, true, engine.Timeout, ""},
		{"idle", func(p *peer) { p.fail("CLIENT_ERROR", "request timeout after 23 seconds.") }, true, engine.Timeout, ""},
		{"ends early", func(p *peer) { p.say(finished, `{}`) }, true, engine.Crashed, ""},

		{"task failed", func(p *peer) { p.fail("SERVER_ERROR", "sentinel") }, false, engine.Unavailable, "SERVER_ERROR"},
		{"task failed and closed", func(p *peer) { p.fail("Throttling.RateQuota", "sentinel"); p.hangUp(1000) }, false, engine.Busy, "Throttling.RateQuota"},
		{"A12 key", func(p *peer) { p.fail("InvalidApiKey", "sentinel") }, false, engine.Auth, "InvalidApiKey"},
		{"no credit", func(p *peer) { p.fail("Arrearage", "sentinel") }, false, engine.Auth, "Arrearage"},
		{"code with blanks", func(p *peer) { p.fail("sentinel sentinel", "sentinel") }, false, engine.Unavailable, "service"},
		{"code with a line", func(p *peer) { p.fail("sentinel\n", "sentinel") }, false, engine.Unavailable, "service"},
		{"code of 65", func(p *peer) { p.fail(strings.Repeat("x", 65), "sentinel") }, false, engine.Unavailable, "service"},
		{"no words so far", func(p *peer) { p.fail("NO_VALID_AUDIO_ERROR", "sentinel") }, false, engine.Protocol, "NO_VALID_AUDIO_ERROR"},
		{"no JSON", func(p *peer) { p.raw("sentinel") }, false, engine.Protocol, "malformed"},
		{"started twice", func(p *peer) { p.say(started, `{}`) }, false, engine.Protocol, "order"},
		{"another task", func(p *peer) { p.id = "sentinel"; p.say(result, `{}`) }, false, engine.Protocol, "wrong_task"},
		{"text is a number", func(p *peer) { p.say(result, `{"output":{"sentence":{"text":7}}}`) }, false, engine.Protocol, "no_text"},
		{"sentences without end", func(p *peer) {
			for i := 2; p.sentence(i, "", true); i++ {
			}
		}, false, engine.Protocol, "too_much"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				services := []func(*peer){func(p *peer) {
					p.accept()
					p.listen(engine.BytesPerSecond)
					p.sentence(1, "so far", true)
					tt.end(p)
				}, works("all of it")}
				if !tt.replace {
					services = services[:1]
				}
				tr := begin(t, native.StreamingOnly, nil, services...)
				tr.speak(speech(9 * time.Second))
				tr.stop()
				r := tr.end()
				f := failureOf(r.err)
				switch {
				case tt.replace && (r.err != nil || r.text != "all of it" || !bytes.Equal(tr.peer(2).samples(), speech(9*time.Second))):
					t.Errorf("%+v", r)
				case !tt.replace && (r.text != "" || f.Text != "so far" || f.Kind != tt.kind || f.Code != tt.code):
					t.Errorf("%+v, kind %q, code %q, text %q", r, f.Kind, f.Code, f.Text)
				case strings.Contains(fmt.Sprint(r.err, f.Code, f.Hint, tr.events), "sentinel"):
					t.Errorf("foreign text in %+v", f)
				}
			})
		})
	}
}

// A service that says why it closes is heard also if the samples notice first
// that it has closed.
func TestReasonIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, func(tr *trial) { tr.lag = 200 * time.Millisecond }, func(p *peer) {
			p.accept()
			p.listen(engine.BytesPerSecond)
			p.sentence(1, "so far", true)
			p.fail("Throttling.RateQuota", "")
			p.hangUp(1000)
		})
		tr.speak(speech(5 * time.Second))
		tr.stop()
		if f := failureOf(tr.end().err); f.Code != "Throttling.RateQuota" || f.Text != "so far" {
			t.Errorf("%+v", f)
		}
	})
}

// Time that a replay lost is not made up for by going faster.
func TestReplayDoesNotHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := begin(t, native.StreamingOnly, nil, func(p *peer) {
			p.accept()
			p.listen(20 * engine.BytesPerSecond)
			p.hangUp(1006)
		}, func(p *peer) {
			p.accept()
			p.listen(2 * engine.BytesPerSecond)
			time.Sleep(3 * time.Second)
			p.sentence(1, "all of it", true)
			p.listen(-1)
			p.say(finished, `{}`)
		})
		tr.tape.Write(speech(20 * time.Second))
		time.Sleep(time.Minute)
		tr.stop()
		if r := tr.end(); r.text != "all of it" {
			t.Fatalf("%+v", r)
		}
		frames := tr.peer(2).frames
		for i := 22; i < 200; i++ { // the one that waited behind the one in hand
			if d := frames[i].at - frames[i-1].at; d < 25*time.Millisecond {
				t.Fatalf("packet %d came %s behind the one before", i, d)
			}
		}
	})
}
