package engines_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lexicon is an expression for the dictionary of a decoder that has loaded its
// model.
const lexicon = "(lambda e: (e.load(), e._lexicon)[1])(m.PocketSphinx(None))"

// spoken returns the pronunciations of terms with the dictionary of Debian.
func spoken(t *testing.T, terms []string) [][]string {
	t.Helper()
	needPocketSphinx(t)
	argument, err := json.Marshal(terms)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	python(t, "pocketsphinx", "(lambda lexicon: [m.spoken.variants(x, lexicon) for x in "+string(argument)+"])("+lexicon+")", &got)
	return got
}

func TestSpoken(t *testing.T) {
	t.Parallel()
	tests := []struct{ term, way string }{
		{"JSONL", "JH EY S AH N EH L"},
		{"vi-session", "V IY AY S EH SH AH N"},
		{"vi-session", "V IY AY D AE SH S EH SH AH N"},
		{"stopReason", "S T AA P R IY Z AH N"},
		{"kubectl", "K Y UW B K AH N T R OW L"},
		{"systemd", "S IH S T AH M D IY"},
		{"Hyprland", "HH AY P ER L AE N D"},
		{"tmux", "T IY M AH K S"},
		{"webhook", "W EH B HH UH K"},
		{"agent_context_max_chars", "EY JH AH N T K AA N T EH K S T M AE K S CH AA R Z"},
		{"~/.pi/agent", "P AY EY JH AH N T"},
		{"C++", "S IY P L AH S P L AH S"},
		{"Node.js", "N OW D JH EY EH S"},
		{"APIs", "EY P IY AY EH S"},
		{"OAuth", "OW AO TH"},
		{"v1.4", "V IY W AH N D AA T F AO R"},
		{"8080", "EY T IY EY T IY"},
		{"ctx.Done", "K AA N T EH K S T D AH N"},
		{"naïve", "N AY IY V"},
		{"GTK", "JH IY T IY K EY"},
	}
	var terms []string
	for _, tt := range tests {
		terms = append(terms, tt.term)
	}
	for i, ways := range spoken(t, terms) {
		if !slices.Contains(ways, tests[i].way) {
			t.Errorf("%q is said %q, want one to be %q", tests[i].term, ways, tests[i].way)
		}
		if len(ways) > 8 {
			t.Errorf("%q is said in %d ways", tests[i].term, len(ways))
		}
	}
}

// TestUnspoken has no sound for what nobody dictates, and does not fail on it.
func TestUnspoken(t *testing.T) {
	t.Parallel()
	terms := []string{"", " ", "语音", "日本語API", "--", "()", "\x00", strings.Repeat("a/", 50), strings.Repeat("zxq", 3000)}
	for i, ways := range spoken(t, terms) {
		if len(ways) != 0 {
			t.Errorf("%q is said %q", terms[i], ways)
		}
	}
}

// TestCompile compiles the programs with every Python that is here, without
// leaving a file.
func TestCompile(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	pythons := []string{"python3"}
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		pythons = append(pythons, "/usr/bin/python3")
	}
	for _, name := range pythons {
		for _, program := range []string{"pocketsphinx", "whisper", "spoken.py", "vi_engine.py"} {
			cmd := exec.Command(name, "-W", "error", "-m", "py_compile", enginePath(t, program))
			cmd.Env = append(os.Environ(), "PYTHONPYCACHEPREFIX="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v: %s", name, program, err, out)
			}
		}
	}
	if left, _ := filepath.Glob("../../share/engines/__pycache__"); left != nil {
		t.Errorf("%q was left behind", left)
	}
}

// TestSpokenAnything gives random terms, and every piece of the table, to the
// rules: what comes out must be phones that the decoder knows.
func TestSpokenAnything(t *testing.T) {
	t.Parallel()
	needPocketSphinx(t)
	const expression = `(lambda lexicon, r, phones: [s
		for s in [*m.spoken.PIECES, *("".join(r.choices("abcdefghijklmnopqrstuvwxyzABCDXYZ0123456789._-/@+#~$ éß中\0()", k=r.randint(0, 30))) for _ in range(5000))]
		for ways in [m.spoken.variants(s, lexicon)]
		if len(ways) > 8 or (s in m.spoken.PIECES and not ways) or any(not w or not set(w.split()) <= phones for w in ways)])(
		` + lexicon + `, __import__("random").Random(1), set("AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH".split()))`
	var wrong []string
	python(t, "pocketsphinx", strings.Join(strings.Fields(expression), " "), &wrong)
	for _, term := range wrong {
		t.Errorf("%q is said in too many ways, in none, or with unknown phones", term)
	}
}
