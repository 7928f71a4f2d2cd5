package native

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/tests/fakecloud"
)

// long has three pieces, of 281, 271 and 60 s.
var long = sync.OnceValue(func() []byte {
	return bytes.Join([][]byte{speech(280 * time.Second), silence(time.Second), speech(270 * time.Second), silence(time.Second), speech(60 * time.Second)}, nil)
})

// A recording of more than 300 s goes in pieces that are each in time, and its
// text comes back in order, whatever answer comes first.
func TestLongRecording(t *testing.T) {
	srv := serve(t, fakecloud.Scenario{
		Audio: fakecloud.Sound{Any: true},
		Answer: func(a fakecloud.Audio) string {
			switch {
			case a.Samples > 280*16000 && a.Samples < 282*16000:
				return "The first part."
			case a.Samples > 270*16000 && a.Samples < 272*16000:
				return "Der zweite Teil."
			}
			return "最后。"
		},
		Faults: []fakecloud.Fault{{Name: fakecloud.SlowAnswer, Protocol: fakecloud.Native, Connection: 1, For: 300}},
		Most:   map[string]int{fakecloud.Native: 3},
	})
	hints := engine.Hints{Context: "RareModel"}
	text, empty, err := client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(long()), nil, hints)
	if text != "The first part. Der zweite Teil.最后。" || empty || err != nil {
		t.Errorf("%q, %t, %v", text, empty, err)
	}
	var total int64
	for _, s := range srv.Sessions(fakecloud.Native) {
		total += s.Audio[0].Samples
		if !slices.Equal(s.Context, []string{"RareModel"}) {
			t.Errorf("context %q", s.Context)
		}
	}
	if total != int64(len(long())/2) {
		t.Errorf("%d samples of %d", total, len(long())/2)
	}
}

// short pieces make a test with many of them short.
var short = span{4 * time.Second, 6 * time.Second}

// three has that many short pieces, of which the last is the rest.
var three = sync.OnceValue(func() []byte {
	return bytes.Join([][]byte{speech(4300 * time.Millisecond), silence(time.Second), speech(4 * time.Second), silence(time.Second), speech(2 * time.Second)}, nil)
})

// A piece is sent while the recording goes on.
func TestPiecesAreSentAsTheyCome(t *testing.T) {
	srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Texts: []string{"One.", "Two."}})
	r, w := io.Pipe()
	done := make(chan string, 1)
	c := client(t, srv, nil)
	c.span = short
	go func() {
		text, _, err := c.Recognize(t.Context(), r, nil, engine.Hints{})
		done <- fmt.Sprint(text, err)
	}()
	w.Write(three()[:61*engine.BytesPerSecond/10])
	if err := srv.Wait(t.Context(), func(all []fakecloud.Session) bool { return len(all) == 1 && all[0].Closed != nil }); err != nil {
		t.Fatal(err)
	}
	w.Write(speech(time.Second))
	w.Close()
	if got := <-done; got != "One. Two.<nil>" {
		t.Errorf("%q", got)
	}
}

// Silence between speech costs no request of its own.
func TestSilentPiece(t *testing.T) {
	srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "Yes.", Most: map[string]int{fakecloud.Native: 2}})
	pcm := bytes.Join([][]byte{speech(time.Second), silence(20 * time.Second), speech(time.Second)}, nil)
	c := client(t, srv, nil)
	c.span = short
	if text, _, err := c.Recognize(t.Context(), bytes.NewReader(pcm), nil, engine.Hints{}); text != "Yes. Yes." || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// When a piece fails, what came before it is kept, and what comes behind it is
// not sent.
func TestPieceThatFails(t *testing.T) {
	for _, tt := range []struct {
		failing int
		want    string
		most    int
	}{{1, "", 2}, {2, "Part 1.", 3}, {3, "Part 1. Part 2.", 3}} {
		srv := serve(t, fakecloud.Scenario{
			Audio: fakecloud.Sound{Any: true},
			Texts: []string{"Part 1.", "Part 2.", "Part 3."},
			// One after the other, so that their numbers are those of the pieces.
			Faults: []fakecloud.Fault{{Name: fakecloud.HTTPStatus, Protocol: fakecloud.Native, Connection: tt.failing, Status: 503, Code: "ServiceUnavailable"}},
			Most:   map[string]int{fakecloud.Native: tt.most},
		})
		r, w := io.Pipe()
		go func() {
			// The pieces end at 5 s, at 10 s and with the recording.
			ends := []int{6*engine.BytesPerSecond + 2, 11*engine.BytesPerSecond + engine.BytesPerSecond/2, len(three())}
			at := 0
			for i, end := range ends {
				if _, err := w.Write(three()[at:end]); err != nil {
					return
				}
				at = end
				if i < len(ends)-1 && srv.Wait(t.Context(), func(all []fakecloud.Session) bool { return len(all) == i+1 && all[i].Closed != nil }) != nil {
					return
				}
			}
			w.Close()
		}()
		c := client(t, srv, nil)
		c.span = short
		text, empty, err := c.Recognize(t.Context(), r, nil, engine.Hints{})
		checkFailure(t, srv, text, empty, err, "unavailable ServiceUnavailable")
		var f *engine.Failure
		if errors.As(err, &f) && f.Text != tt.want {
			t.Errorf("%d fails: kept %q", tt.failing, f.Text)
		}
		if tt.failing == 1 {
			if _, err := w.Write([]byte{0, 0}); err == nil {
				t.Error("it still reads")
			}
		}
	}
}
