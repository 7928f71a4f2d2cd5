// Package spoken measures what the whole chain makes of spoken terms: sample
// answers go through vi-terms, sentences are spoken by synthetic voices, and
// the real recognisers of this machine hear them with and without the context.
package spoken

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"voice-input/pkg/wire"
)

// sentence is one line of testdata/cases.tsv.
type sentence struct{ answer, language, said, written string }

func sentences(t testing.TB) (all []sentence) {
	t.Helper()
	b, err := os.ReadFile("testdata/cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 4 {
			t.Fatalf("%d fields in %q", len(f), line)
		}
		all = append(all, sentence{f[0], f[1], f[2], f[3]})
	}
	return all
}

// voice is who speaks: a program for Latin letters, one for the rest. Each
// takes a file and a text.
type voice struct {
	latin, han func(file, text string) *exec.Cmd
}

func flite(name string) func(file, text string) *exec.Cmd {
	return func(file, text string) *exec.Cmd {
		return exec.Command("flite", "-voice", name, "-o", file, "-t", text)
	}
}

// espeak's usual Chinese voice reads Latin letters as English, and by that also
// the pinyin that it makes of characters first; so each script has its own.
func espeak(name string) func(file, text string) *exec.Cmd {
	return func(file, text string) *exec.Cmd {
		return exec.Command("espeak-ng", "-v", name, "-s", "150", "-w", file, text)
	}
}

var voices = map[string][]voice{
	"en":    {{flite("slt"), nil}, {flite("rms"), nil}, {flite("awb"), nil}},
	"zh":    {{nil, espeak("cmn-latn-pinyin")}, {nil, espeak("cmn-latn-pinyin+f3")}},
	"mixed": {{flite("slt"), espeak("cmn-latn-pinyin+f3")}, {flite("rms"), espeak("cmn-latn-pinyin")}},
}

// chain is the built programs.
type chain struct {
	t   testing.TB
	dir string
}

func build(t testing.TB) *chain {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+"/", "../../cmd/...")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	share, err := filepath.Abs("../../share")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(share, filepath.Join(dir, "share")); err != nil {
		t.Fatal(err)
	}
	return &chain{t, dir}
}

func (c *chain) run(stdin []byte, program string, args ...string) []byte {
	c.t.Helper()
	cmd := exec.Command(filepath.Join(c.dir, "bin", program), args...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &errs
	out, err := cmd.Output()
	// Status 1 is the answer that there is nothing.
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		c.t.Fatalf("%s: %v: %s", program, err, errs.String())
	}
	return out
}

// terms returns the file with the terms of an answer, and the terms.
func (c *chain) terms(answer string) (string, []string) {
	c.t.Helper()
	text, err := os.ReadFile("testdata/" + answer + ".md")
	if err != nil {
		c.t.Fatal(err)
	}
	path := filepath.Join(c.dir, answer+".json")
	out := c.run(text, "vi-terms", "--text")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		c.t.Fatal(err)
	}
	var r wire.Terms
	if err := wire.Decode(bytes.TrimSpace(out), &r); err != nil {
		c.t.Fatal(err)
	}
	var all []string
	for _, term := range r.Terms {
		all = append(all, term.Text)
	}
	return path, all
}

// say writes the WAV file of a sentence and returns its path.
func (c *chain) say(v voice, text string) string {
	c.t.Helper()
	var parts []string
	speak := func(text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		program, path := v.latin, filepath.Join(c.dir, fmt.Sprintf("part%d.wav", len(parts)))
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			program = v.han
		}
		c.do(program(path, text))
		parts = append(parts, path)
	}
	from, han := 0, false
	for i, r := range text {
		if is := unicode.Is(unicode.Han, r); r != ' ' && is != han {
			speak(text[from:i])
			from, han = i, is
		}
	}
	speak(text[from:])
	path := filepath.Join(c.dir, "said.wav")
	for _, part := range parts {
		same := strings.TrimSuffix(part, ".wav") + "-16k.wav"
		c.do(exec.Command("sox", part, "-r", "16000", "-c", "1", "-b", "16", same))
	}
	for i, part := range parts {
		parts[i] = strings.TrimSuffix(part, ".wav") + "-16k.wav"
	}
	c.do(exec.Command("sox", append(parts, path)...))
	return path
}

func (c *chain) do(cmd *exec.Cmd) {
	c.t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %v: %s", cmd.Args, err, out)
	}
}

// listener is a vi-asr that stays, so that a model is loaded once.
type listener struct {
	c     *chain
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *wire.Reader
	takes int
}

func (c *chain) listen(args ...string) *listener {
	c.t.Helper()
	l := &listener{c: c, cmd: exec.Command(filepath.Join(c.dir, "bin", "vi-asr"), append([]string{"--takes"}, args...)...)}
	stdin, err := l.cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	l.cmd.Stderr = os.Stderr
	if err := l.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	l.stdin, l.lines = stdin, wire.NewReader(stdout)
	return l
}

func (l *listener) end() {
	l.stdin.Close()
	l.cmd.Wait()
}

// hear returns what the engine makes of a recording, "" for nothing. Terms is
// the path of a record, or "".
func (l *listener) hear(wav, terms, language string) string {
	l.c.t.Helper()
	l.takes++
	take := &wire.Take{ID: fmt.Sprint(l.takes), Audio: wire.Audio{Path: wav, Format: "wav"}, TermsPath: terms, Language: language}
	if err := wire.Write(l.stdin, take); err != nil {
		l.c.t.Fatal(err)
	}
	for {
		line, err := l.lines.Next()
		if err != nil {
			l.c.t.Fatal(err)
		}
		var e wire.ASR
		if err := wire.Decode(line, &e); err != nil {
			l.c.t.Fatal(err)
		}
		switch e.Type {
		case wire.ASRFinal:
			return e.Text
		case wire.ASRError:
			l.c.t.Fatalf("%s: %s", e.Kind, e.Code)
		}
	}
}

// score counts over the sentences of one language.
type score struct {
	right, terms  int // terms that were said, and came out to the letter
	inserted      int // terms that came out and were not said
	errors, units int // words of English, characters of Chinese, that differ
}

// add scores one text. A term is found where no letter or digit touches it.
func (s *score) add(written, got string, terms []string) {
	for _, term := range terms {
		said, heard := count(written, term), count(got, term)
		s.terms += said
		s.right += min(said, heard)
		s.inserted += max(0, heard-said)
	}
	a, b := units(written), units(got)
	s.errors += distance(a, b)
	s.units += len(a)
}

func count(text, term string) (n int) {
	for i := 0; ; {
		j := strings.Index(text[i:], term)
		if j < 0 {
			return n
		}
		before, after := []rune(text[:i+j]), []rune(text[i+j+len(term):])
		if (len(before) == 0 || !joins(before[len(before)-1])) && (len(after) == 0 || !joins(after[0])) {
			n++
		}
		i += j + len(term)
	}
}

func joins(r rune) bool { return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// units are the words of a text in lower case; a Han character is one.
func units(text string) (all []string) {
	word := ""
	flush := func() {
		if word != "" {
			all = append(all, word)
		}
		word = ""
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			all = append(all, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word += string(r)
		default:
			flush()
		}
	}
	flush()
	return all
}

func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := row[0]
		row[0]++
		for j := range b {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// The corpus is what it has to be: sentences with terms that the answers really
// yield, and sentences that hold the same words in their plain sense.
func TestCorpus(t *testing.T) {
	c := build(t)
	all := sentences(t)
	if len(all) < 40 {
		t.Errorf("%d sentences", len(all))
	}
	with := 0
	for _, s := range all {
		_, terms := c.terms(s.answer)
		var score score
		score.add(s.written, s.written, terms)
		if score.terms > 0 {
			with++
		}
		if score.right != score.terms || score.errors != 0 {
			t.Errorf("a text differs from itself: %q", s.written)
		}
		if s.language == "mixed" && score.terms == 0 {
			t.Errorf("no term of the answer in %q", s.written)
		}
	}
	if plain := len(all) - with; with < 20 || plain < 10 {
		t.Errorf("%d sentences with terms, %d without", with, plain)
	}
}

// BenchmarkTerms prints the table of docs/engines.md. VI_TEST_WHISPER_MODEL
// names a model of Whisper, which knows Chinese too.
func BenchmarkTerms(b *testing.B) {
	engines := map[string][]string{"pocketsphinx": nil}
	if model := os.Getenv("VI_TEST_WHISPER_MODEL"); model != "" {
		engines["whisper"] = []string{"--model", model}
	}
	c := build(b)
	for b.Loop() {
		fmt.Printf("| %-12s | %-6s | %-7s | %-11s | %-14s | %-11s |\n", "engine", "speech", "context", "terms right", "terms not said", "word errors")
		for _, name := range []string{"pocketsphinx", "whisper"} {
			args, there := engines[name]
			if !there {
				continue
			}
			for _, language := range []string{"en", "zh", "mixed"} {
				if name == "pocketsphinx" && language != "en" {
					continue // it knows English only
				}
				c.table(b, name, language, append([]string{"--engine", name}, args...))
			}
		}
	}
}

// tags are what an engine is told of the language that is spoken.
var tags = map[string]string{"en": "en", "zh": "zh", "mixed": "zh"}

func (c *chain) table(b *testing.B, name, language string, args []string) {
	var without, with score
	l := c.listen(args...)
	defer l.end()
	for _, s := range sentences(b) {
		if s.language != language {
			continue
		}
		path, terms := c.terms(s.answer)
		for _, voice := range voices[language] {
			wav := c.say(voice, s.said)
			plain, known := l.hear(wav, "", tags[language]), l.hear(wav, path, tags[language])
			without.add(s.written, plain, terms)
			with.add(s.written, known, terms)
			if testing.Verbose() {
				fmt.Printf("%s\n  without: %s\n  with:    %s\n", s.written, plain, known)
			}
		}
	}
	for _, row := range []struct {
		context string
		score
	}{{"without", without}, {"with", with}} {
		fmt.Printf("| %-12s | %-6s | %-7s | %3d of %3d  | %14d | %9.1f %% |\n", name, language, row.context, row.right, row.terms, row.inserted, 100*float64(row.errors)/float64(max(row.units, 1)))
	}
}
