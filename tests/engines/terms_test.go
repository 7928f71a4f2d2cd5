package engines_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// sentence is one line of testdata/terms.tsv.
type sentence struct{ said, written string }

// corpus is what the recognition of terms is measured on.
type corpus struct {
	terms []sentence // each holds one of hints
	plain []string   // none does
	hints []string
}

func readCorpus(t testing.TB) corpus {
	t.Helper()
	return corpus{terms: sentences(t, "terms.tsv"), plain: lines(t, "plain.txt"), hints: lines(t, "hints.txt")}
}

// unseen is a corpus that the rules of spoken.py were not made with. Its terms
// are expected among twenty of the other corpus.
func unseen(t testing.TB) corpus {
	t.Helper()
	c := corpus{terms: sentences(t, "unseen.tsv")}
	for _, s := range c.terms {
		said := strings.Fields(s.said)
		term := slices.DeleteFunc(strings.Fields(s.written), func(w string) bool { return slices.Contains(said, w) })
		c.hints = append(c.hints, term...)
	}
	c.hints = append(c.hints, lines(t, "hints.txt")[:20]...)
	return c
}

func sentences(t testing.TB, name string) (all []sentence) {
	t.Helper()
	for _, line := range lines(t, name) {
		said, written, _ := strings.Cut(line, "\t")
		all = append(all, sentence{said, written})
	}
	return all
}

func lines(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return slices.DeleteFunc(all, func(l string) bool { return strings.HasPrefix(l, "#") })
}

// score counts over a corpus.
type score struct {
	right, terms    int           // terms that came out as they are written
	inserted        int           // terms that came out where they were not said
	errors, words   int           // of the sentences without terms
	errorsT, wordsT int           // of the sentences with terms
	missed          []string      // terms that did not come out
	audio           time.Duration // of all that was said
}

func (s *score) wer() float64      { return 100 * float64(s.errors) / float64(max(s.words, 1)) }
func (s *score) werTerms() float64 { return 100 * float64(s.errorsT) / float64(max(s.wordsT, 1)) }

// measure recognises the whole corpus as the voices speak it.
func measure(t testing.TB, e *engine, c corpus, hints []string, voices ...string) score {
	t.Helper()
	var s score
	for _, voice := range voices {
		for _, sentence := range c.terms {
			pcm := say(t, voice, sentence.said)
			s.audio += time.Duration(len(pcm)/32) * time.Millisecond
			got := words(e.text(pcm, hints...))
			s.errorsT += distance(normal(words(sentence.written)), normal(got))
			s.wordsT += len(words(sentence.written))
			for _, h := range c.hints {
				inside := contains(words(sentence.written), h)
				switch {
				case inside:
					s.terms++
					if contains(got, h) {
						s.right++
					} else {
						s.missed = append(s.missed, voice+": "+h)
					}
				case contains(got, h):
					s.inserted++
				}
			}
		}
		for _, said := range c.plain {
			pcm := say(t, voice, said)
			s.audio += time.Duration(len(pcm)/32) * time.Millisecond
			got := words(e.text(pcm, hints...))
			s.errors += distance(words(said), normal(got))
			s.words += len(words(said))
			for _, h := range c.hints {
				if contains(got, h) {
					s.inserted++
				}
			}
		}
	}
	return s
}

// words splits a text and takes off the punctuation around its words, which
// Whisper writes and PocketSphinx does not.
func words(text string) []string {
	f := strings.Fields(text)
	for i := range f {
		f[i] = strings.TrimRight(f[i], ".,;:!?")
	}
	return f
}

func normal(words []string) []string {
	return strings.Fields(strings.ToLower(strings.Join(words, " ")))
}

// contains tells whether the term, which may be several words, is in text.
func contains(text []string, term string) bool {
	return strings.Contains(" "+strings.Join(text, " ")+" ", " "+term+" ")
}

// distance is the number of words to change, add or remove.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a b c", "a b c", 0}, {"a b c", "a c", 1}, {"a c", "a b c", 1}, {"a b", "b a", 2}, {"a b c", "x y", 3}, {"", "a b", 2}}
	for _, tt := range tests {
		if got := distance(words(tt.a), words(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestTerms holds PocketSphinx to what docs/engines.md says of it, with one
// voice; BenchmarkPocketSphinx measures all of them.
func TestTerms(t *testing.T) {
	t.Parallel()
	need(t, "flite")
	c := readCorpus(t)
	e := pocketsphinx(t)
	without := measure(t, e, corpus{plain: c.plain, hints: c.hints}, nil, "awb")
	with := measure(t, e, c, c.hints, "awb")
	t.Logf("%d of %d terms, %d inserted, word errors %.1f %% without hints, %.1f %% with; missed: %q",
		with.right, with.terms, with.inserted, without.wer(), with.wer(), with.missed)
	if with.terms < 20 || 10*with.right < 9*with.terms {
		t.Errorf("%d of %d terms are right, want nine in ten", with.right, with.terms)
	}
	if with.inserted > 0 {
		t.Errorf("%d terms were heard that nobody said", with.inserted)
	}
	if with.wer() > without.wer()+2 {
		t.Errorf("word errors rise from %.1f to %.1f %% with hints", without.wer(), with.wer())
	}
	e.end()
}

// BenchmarkPocketSphinx prints the rows of the table in docs/engines.md.
func BenchmarkPocketSphinx(b *testing.B) {
	need(b, "flite")
	report(b, pocketsphinx(b))
}

// BenchmarkWhisper does so for the model that VI_TEST_WHISPER_MODEL names,
// which no test needs.
func BenchmarkWhisper(b *testing.B) {
	model := os.Getenv("VI_TEST_WHISPER_MODEL")
	if model == "" {
		b.Skip("VI_TEST_WHISPER_MODEL names no model")
	}
	need(b, "flite", "python3")
	report(b, start(b, nil, "python3", enginePath(b, "whisper"), "--model", model))
}

func report(b *testing.B, e *engine) {
	seen, unseen := readCorpus(b), unseen(b)
	for b.Loop() {
		for _, run := range []struct {
			name  string
			on    corpus
			hints []string
		}{{"seen", seen, nil}, {"seen", seen, seen.hints}, {"unseen", unseen, nil}, {"unseen", unseen, unseen.hints}} {
			begun := time.Now()
			s := measure(b, e, run.on, run.hints, "slt", "rms", "awb")
			// Not b.Log, which keeps ten lines.
			fmt.Printf("%s, %s, %d hints: terms %d of %d, inserted %d, word errors in sentences with terms %.1f %%, without %.1f %%, real time × %.2f; missed %q\n",
				e.ready.Engine, run.name, len(run.hints), s.right, s.terms, s.inserted, s.werTerms(), s.wer(), time.Since(begun).Seconds()/s.audio.Seconds(), s.missed[:min(len(s.missed), 12)])
		}
	}
	e.end()
}
