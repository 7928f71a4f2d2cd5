package qwenaudio

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/wire"
)

var update = flag.Bool("u", false, "write the goldens anew")

const taskID = "4f0c6f1e-6c1b-4b7a-9a53-0d6f3a1f8c11"

var hintsOfTest = engine.Hints{
	Context:    "RareModel\nQwen-Audio-3\n语音 <输入>",
	Words:      []string{"Kubernetes", "voice-input", "RareModel"},
	Vocabulary: []wire.Vocabulary{{Text: "Kubernetes", Weight: 5}, {Text: "voice-input"}, {Text: "语音输入", Weight: 50}},
}

// Every message that can leave: each preset with and without language hints,
// vocabulary and context, byte for byte.
func TestA2RunTaskGolden(t *testing.T) {
	threshold := -0.25
	segmentations := []struct {
		name, preset string
		custom       Segmentation
	}{
		{"standard", Standard, Segmentation{}},
		{"low-latency", LowLatency, Segmentation{}},
		{"long-form", LongForm, Segmentation{}},
		{"custom-low", Custom, Segmentation{MaxSentenceSilenceMS: 200, NoiseThreshold: &threshold}},
		{"custom-multi", Custom, Segmentation{MaxSentenceSilenceMS: 6000, MultiThreshold: true}},
		{"custom-semantic", Custom, Segmentation{MaxSentenceSilenceMS: 800, SemanticPunctuation: true}},
	}
	var b strings.Builder
	for _, s := range segmentations {
		seg, err := Preset(s.preset, s.custom)
		if err != nil {
			t.Fatal(err)
		}
		for bits := range 8 {
			o := Options{Model: UsualModel, Heartbeat: true}
			tag, hints := "", engine.Hints{}
			name := s.name
			if bits&1 != 0 {
				name, tag = name+" hints", "zh-Hans"
			}
			if bits&2 != 0 {
				name, o.Vocabulary, hints.Vocabulary = name+" vocabulary", true, hintsOfTest.Vocabulary
			}
			if bits&4 != 0 {
				name, hints.Context, hints.Words = name+" context", hintsOfTest.Context, hintsOfTest.Words
			}
			fmt.Fprintf(&b, "%s\t%s\n", name, newOrder(o, seg, tag, hints).runTask(taskID))
		}
	}
	seg, _ := Preset("", Segmentation{})
	for _, model := range []string{"fun-asr-realtime", "paraformer-realtime-v2", "qwen-audio-3.1-asr-flash-message"} {
		o := Options{Model: model, Vocabulary: true, LanguageHints: []string{"en", "zh"}}
		fmt.Fprintf(&b, "%s\t%s\n", model, newOrder(o, seg, "", hintsOfTest).runTask(taskID))
	}
	fmt.Fprintf(&b, "finish\t%s\n", finishTask(taskID))
	golden(t, "messages.golden", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			t.Fatalf("line %d differs from %s:\n got %s\nwant %s", i+1, path, line(g, i), line(w, i))
		}
	}
}

func line(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "nothing"
}

// A11: the user's vocabulary goes out, the agent's terms never as such.
func TestA11VocabularyIsTheUsersOwn(t *testing.T) {
	seg, _ := Preset("", Segmentation{})
	sent := string(newOrder(Options{Model: UsualModel, Vocabulary: true}, seg, "", hintsOfTest).runTask(taskID))
	if !strings.Contains(sent, `"vocabulary":{"Kubernetes":5,"voice-input":4,"语音输入":50}`) {
		t.Errorf("no vocabulary in %s", sent)
	}
	if strings.Count(sent, "RareModel") != 1 {
		t.Errorf("the context's terms stand elsewhere too: %s", sent)
	}
	without := string(newOrder(Options{Model: UsualModel}, seg, "", hintsOfTest).runTask(taskID))
	if strings.Contains(without, "Kubernetes") || !strings.Contains(without, "RareModel") {
		t.Errorf("without vocabulary: %s", without)
	}
}

// D1: at most 400 characters with the separators, whole terms.
func TestRule_D1_ContextIsBounded(t *testing.T) {
	seg, _ := Preset("", Segmentation{})
	terms := strings.Repeat("语音输入法\n", 66) + "tail"
	if n := len([]rune(terms)); n != 400 {
		t.Fatal(n)
	}
	if got := newOrder(Options{Model: UsualModel}, seg, "", engine.Hints{Context: terms}).context; got != terms {
		t.Errorf("400 characters were cut: %q", got)
	}
	got := newOrder(Options{Model: UsualModel}, seg, "", engine.Hints{Context: "x\n" + terms}).context
	if len([]rune(got)) > 400 || !strings.HasPrefix(got, "x\n语音输入法\n") || strings.Contains(got, "ta\n") {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
}

func TestLanguages(t *testing.T) {
	for _, tt := range []struct {
		tag    string
		listed []string
		want   string
	}{
		{"", nil, "[]"}, {"en", nil, "[en]"}, {"zh-Hant", nil, "[zh en]"}, {"ja-JP", nil, "[ja en]"}, {"ko", nil, "[ko en]"},
		{"tlh", nil, "[]"}, {"yue", nil, "[]"}, {"", []string{"en", "tlh", "de"}, "[en de]"}, {"de", []string{"zh", "en", "ja", "ko", "fr"}, "[zh en ja ko]"},
	} {
		if got := fmt.Sprint(languages(Options{LanguageHints: tt.listed}, tt.tag)); got != tt.want {
			t.Errorf("%q %q: %s, want %s", tt.tag, tt.listed, got, tt.want)
		}
	}
}

func TestTaskIDs(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := newTaskID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
}
