package qwenaudio

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"voice-input/pkg/asr/join"
)

// script makes sentences of a short form: "1 text" is a partial of sentence 1,
// "1. text" its final, "- text" has no number, "1@5 text" begins at 5.
func script(t *testing.T, lines ...string) *transcript {
	t.Helper()
	var tr transcript
	for _, l := range lines {
		mark, text, _ := strings.Cut(l, " ")
		s := sentence{text: text}
		mark, s.final = strings.CutSuffix(mark, ".")
		mark, s.begin, _ = strings.Cut(mark, "@")
		if mark != "-" {
			fmt.Sscan(mark, &s.id)
		}
		if _, err := tr.see(s); err != nil {
			t.Fatal(err)
		}
	}
	return &tr
}

func TestTranscript(t *testing.T) {
	for _, tt := range []struct {
		name, committed, draft string
		lines                  []string
	}{
		{"nothing", "", "", nil},
		{"growing", "", "open the pa", []string{"1 open", "1 open the pa"}},
		{"shorter", "", "open", []string{"1 open the pa", "1 open"}},
		{"final", "Open the panel.", "", []string{"1 open", "1. Open the panel."}},
		{"two", "Open it.", "close", []string{"1. Open it.", "2 close"}},
		{"final alone", "Open it. Close it.", "", []string{"1. Open it.", "2. Close it."}},
		{"Chinese", "打开面板。关上。", "", []string{"1. 打开面板。", "2. 关上。"}},
		{"mixed", "打开 kubectl。Then close it.好", "", []string{"1. 打开 kubectl。", "2. Then close it.", "3. 好"}},
		{"repeated final", "Open it.", "", []string{"1. Open it.", "1. Open it."}},
		{"revised final", "Open that. Close it.", "", []string{"1. Open it.", "2. Close it.", "1. Open that."}},
		{"late partial", "Open it.", "", []string{"1. Open it.", "1 op"}},
		{"out of order", "one two three", "", []string{"2. two", "3. three", "1. one"}},
		{"final 2 before final 1", "one two", "", []string{"1 on", "2 tw", "2. two", "1. one"}},
		{"open before final", "", "on two", []string{"1 on", "2. two"}},
		{"gap in the numbers", "one two", "", []string{"7. one", "9. two"}},
		{"no numbers", "one two", "", []string{"- on", "-. one", "-. two"}},
		{"no numbers, repeated", "one two", "", []string{"-@1. one", "-@1. one", "-@2. two", "-@2. two"}},
		{"no numbers, said twice", "no no", "", []string{"-@1. no", "-@2. no"}},
		{"the final lost its number", "Open it. Then", "", []string{"1 open", "-. Open it.", "2. Then"}},
		{"the final lost its number and comes again", "Open it.", "", []string{"1@5 open", "-@5. Open it.", "-@5. Open it.", "1@5. Open it."}},
		{"numbers in between", "one two three", "", []string{"1. one", "-@3. two", "2. three"}},
		{"empty start", "one", "", []string{"1. one", "2 "}},
		{"blanks", "one two", "", []string{"1.  one ", "2. two  "}},
		{"a number cut in two", "It is 3.5 now", "", []string{"1. It is 3.", "2. 5 now"}},
	} {
		tr := script(t, tt.lines...)
		if c, d := tr.texts(); c != tt.committed || d != tt.draft {
			t.Errorf("%s: %q %q, want %q %q", tt.name, c, d, tt.committed, tt.draft)
		}
		if all := tr.all(); all != join.Join(tt.committed, tt.draft) {
			t.Errorf("%s: all is %q", tt.name, all)
		}
	}
}

// Ended is told once for each sentence.
func TestEnded(t *testing.T) {
	var tr transcript
	for i, tt := range []struct {
		s    sentence
		want bool
	}{
		{sentence{id: 1, text: "a"}, false}, {sentence{id: 1, text: "ab", final: true}, true}, {sentence{id: 1, text: "ab", final: true}, false},
		{sentence{id: 1, text: "abc", final: true}, false}, {sentence{id: 1, text: "late"}, false}, {sentence{text: "x", final: true}, true}, {sentence{text: "x", final: true}, false},
	} {
		if got, err := tr.see(tt.s); got != tt.want || err != nil {
			t.Errorf("%d: %t, %v", i, got, err)
		}
	}
}

func TestReplace(t *testing.T) {
	for _, tt := range []struct{ name, whole, want string }{
		{"nothing", "", "Open it. Close it"},
		{"blank", " ", "Open it. Close it"},
		{"all", "Open it, close it.", "Open it, close it."},
		{"more", "Open it. Close it now.", "Open it. Close it now."},
		{"the last sentence only", "Close it.", "Open it. Close it"},
		{"too much", strings.Repeat("x", maxText+1), "Open it. Close it"},
	} {
		tr := script(t, "1. Open it.", "2 Close it")
		if tr.replace(tt.whole); tr.all() != tt.want {
			t.Errorf("%s: %.80q", tt.name, tr.all())
		}
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	var tr transcript
	var err error
	for i := 1; err == nil; i++ {
		if i > maxSentences+1 {
			t.Fatal("sentences without end")
		}
		_, err = tr.see(sentence{id: int64(i)})
	}
	if !errors.Is(err, errTooMuch) {
		t.Error(err)
	}
	tr, err = transcript{}, nil
	for i := 1; err == nil; i++ {
		if i > maxText/maxSentence+1 {
			t.Fatal("text without end")
		}
		_, err = tr.see(sentence{id: int64(i), text: strings.Repeat("x", maxSentence), final: true})
	}
	if !errors.Is(err, errTooMuch) || len(tr.all()) < maxText {
		t.Error(err, len(tr.all()))
	}
	// The same sentence again and again is no more text.
	tr = transcript{}
	for range 100 {
		if _, err := tr.see(sentence{id: 1, text: strings.Repeat("x", maxSentence)}); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever comes in whatever order: the text is that of the sentences in the
// order of their numbers, with their last final or else last draft, and what
// was kept at hand is what putting everything together anew gives.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte{1, 0, 1, 1, 2, 0, 2, 1, 1, 3})
	f.Add([]byte{3, 1, 1, 1, 2, 1, 0, 1, 0, 1, 3, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		var tr transcript
		numbered := map[int64]sentence{}
		plain := true
		for i := 0; i+1 < len(b) && i < 400; i += 2 {
			s := sentence{id: int64(b[i] % 8), final: b[i+1]&1 != 0, text: fmt.Sprintf("w%d", b[i+1]/2), begin: fmt.Sprint(b[i+1] / 8)}
			if s.id == 0 {
				plain = false
			} else if old := numbered[s.id]; !old.final || s.final {
				numbered[s.id] = s
			}
			if _, err := tr.see(s); err != nil {
				t.Fatal(err)
			}
			anew := ""
			for i, sl := range tr.slots {
				anew = join.Join(anew, sl.text)
				if i > 0 && sl.id < tr.slots[i-1].id {
					t.Fatalf("out of order: %+v", tr.slots)
				}
			}
			if got := tr.all(); got != anew {
				t.Fatalf("%q, anew %q", got, anew)
			}
		}
		if !plain {
			return
		}
		want := ""
		for id := int64(1); id < 8; id++ {
			want = join.Join(want, numbered[id].text)
		}
		if got := tr.all(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
