package vocabulary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voice-input/pkg/wire"
)

func TestParse(t *testing.T) {
	list, problems := Parse([]byte("\ufeff# mine\r\nwords = [\r\n  \"voice-input\", # a comment\r\n\r\n\t{text = \"Kubernetes\", weight = 5},\r\n  { weight = 2.5, text = \" 语音识别 \" },\r\n]\r\n\r\n" +
		"[[replacements]]\r\nfrom = \"cube control\"\r\nto = \"kubectl\"\r\n[[replacements]]\r\nto = \"\"\r\nfrom = '嗯嗯'\r\n"))
	want := List{
		Words:        []wire.Vocabulary{{Text: "voice-input"}, {Text: "Kubernetes", Weight: 5}, {Text: "语音识别", Weight: 2.5}},
		Replacements: []wire.Replacement{{From: "cube control", To: "kubectl"}, {From: "嗯嗯", To: ""}},
	}
	if len(problems) > 0 || !slices.Equal(list.Words, want.Words) || !slices.Equal(list.Replacements, want.Replacements) {
		t.Errorf("got %v, problems %v", list, problems)
	}
	list, problems = Parse([]byte("replacements = [\n  {from = \"a\", to = \"b\"},\n  # no more\n]\n"))
	if len(problems) > 0 || len(list.Replacements) != 1 {
		t.Errorf("inline: got %v, problems %v", list, problems)
	}
}

// T5: whatever is in the file, the answer is a message with its line.
func TestT5_WrongFiles(t *testing.T) {
	const key = "ghp_a8F3kLm29QwZx7Rt5Yb1Nc4Vd6Eg0Hj2Ks9P"
	tests := []struct {
		name, in string
		problems []string
		words    int
	}{
		{"empty", "", nil, 0},
		{"blank lines, tabs, CRLF, BOM", "\ufeff\r\n\t\r\nwords\t=\t[\"a1\"]\r\n", nil, 1},
		{"a line of another format", "words = [\"a1\"]\nC++ 3 n extra\n", []string{"2: "}, 0},
		{"binary", "words = [\"\x00\xff\"]", []string{"1: "}, 0},
		{"control character", `words = ["a\nb", "ok1"]`, []string{"1: words: holds a line break"}, 1},
		{"long line", "words = [\n\"" + strings.Repeat("x", 10_000) + "\",\n\"ok1\"]", []string{"2: words: is longer than 100 characters"}, 1},
		{"empty word", "words = [\n\"\",\n\" \",\n]", []string{"2: words: is empty", "3: words: is empty"}, 0},
		{"wrong kind", "words = [\n1,\n\"ok1\"]", []string{"2: words: needs strings or {text, weight}"}, 1},
		{"no array", "words = \"x\"", []string{"1: words: needs an array"}, 0},
		{"twice", "words = [\n\"Redis\",\n\"redis\"]", []string{"3: words: the word stands in line 2 already"}, 1},
		{"weight", "words = [\n{text = \"a1\", weight = 0},\n{text = \"b1\", weight = \"x\"},\n{text = \"c1\", weight = 101},{text=\"d1\", weight = nan}]", []string{"2: words.weight: needs a number above 0", "3: words.weight: needs a number", "4: words.weight", "4: words.weight"}, 0},
		{"key of a word", "words = [{txt = \"a1\"}]", []string{"1: words: unknown key"}, 0},
		{"unknown key", "word = [\"a1\"]", []string{"1: unknown key"}, 0},
		{"unknown section", "[other]\nx = 1", []string{"1: unknown section"}, 0},
		{"one bracket", "[replacements]\nfrom = \"a\"\nto = \"b\"", []string{"1: write it as [[replacements]]"}, 0},
		{"half a replacement", "[[replacements]]\nfrom = \"a\"", []string{"1: replacements: needs from and to"}, 0},
		{"replaced twice", "[[replacements]]\nfrom = \"a b\"\nto = \"x\"\n[[replacements]]\nfrom = \"A  B\"\nto = \"y\"", []string{"4: replacements.from: it is replaced in line 1 already"}, 0},
		{"circle", "[[replacements]]\nfrom = \"a1\"\nto = \"b1\"\n[[replacements]]\nfrom = \"b1\"\nto = \"a1\"", []string{"1: replacements: the replacements go round", "4: replacements: the replacements go round"}, 0},
		{"secret", "words = [\n\"" + key + "\"]", []string{"2: words: has the shape of a secret"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, problems := Parse([]byte(tt.in))
			if len(list.Words) != tt.words || len(problems) != len(tt.problems) {
				t.Fatalf("%d words, problems %v", len(list.Words), problems)
			}
			for i, want := range tt.problems {
				if got := problems[i].String(); !strings.HasPrefix(got, want) {
					t.Errorf("problem %q, want %q", got, want)
				}
				if strings.Contains(problems[i].String(), key[:8]) {
					t.Error("the problem holds the secret")
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	var in strings.Builder
	in.WriteString("words = [\n")
	for i := range MaxWords + 1 {
		fmt.Fprintf(&in, "\"w%d\",\n", i)
	}
	in.WriteString("]\n")
	list, problems := Parse([]byte(in.String()))
	if len(list.Words) != MaxWords || len(problems) != 1 || problems[0].Line != MaxWords+2 {
		t.Errorf("%d words, problems %v", len(list.Words), problems)
	}
}

func TestWith(t *testing.T) {
	user := List{Words: []wire.Vocabulary{{Text: "Redis"}, {Text: "x1"}}, Replacements: []wire.Replacement{{From: "a", To: "b"}}}
	project := List{Words: []wire.Vocabulary{{Text: "redis", Weight: 3}, {Text: "y1"}}, Replacements: []wire.Replacement{{From: "A", To: "c"}}}
	got := user.With(project)
	if !slices.Equal(got.Words, []wire.Vocabulary{{Text: "redis", Weight: 3}, {Text: "x1"}, {Text: "y1"}}) || !slices.Equal(got.Replacements, []wire.Replacement{{From: "A", To: "c"}}) {
		t.Errorf("got %v", got)
	}
	if user.Words[0].Text != "Redis" {
		t.Error("the first list was changed")
	}
}

func TestReplace(t *testing.T) {
	tests := []struct {
		name, rules, text, want string
	}{
		{"a word", "cube control=kubectl", "Use Cube  Control, cube\u3000control.", "Use kubectl, kubectl."},
		{"no part of a word", "art=ART", "a part of art, artful, art_x, ärt", "a part of ART, artful, art_x, ärt"},
		{"beside Chinese", "art=ART", "用art画art。", "用ART画ART。"},
		{"Chinese", "诶皮爱=API", "这个诶皮爱和诶皮爱", "这个API和API"},
		{"Chinese and Latin", "k 八 s=k8s", "K 八 S，ak 八 s", "k8s，ak 八 s"},
		{"full width", "abc=x", "ＡＢＣ abc", "x x"},
		{"the longest", "new=old|new york=NYC", "new york, new", "NYC, old"},
		{"not its own result", "song=Songstuff|stuff=stuff stuff", "song stuff", "Songstuff stuff stuff"},
		{"one after another", "a1=b1|b1=c1", "a1 b1", "c1 c1"},
		{"no regular expression", "a.c=x|(=paren|.*=all", "abc a.c ( .*", "abc x paren all"},
		{"dollar", "cost=$1 \\1", "cost", "$1 \\1"},
		{"removed", "um=", "um hello um", " hello "},
		{"without end", "a1=a1 b1|b1=a1", "a1", "a1"},
		{"punctuation is a border", "c++=C++", "use c++. c++11", "use C++. C++11"},
		{"damaged text", "a=b", "\xffa\xff", "\xffb\xff"},
	}
	for _, tt := range tests {
		var list []wire.Replacement
		for _, r := range strings.Split(tt.rules, "|") {
			from, to, _ := strings.Cut(r, "=")
			list = append(list, wire.Replacement{From: from, To: to})
		}
		r := NewReplacer(list)
		if got := r.Apply(tt.text); got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.text, got, tt.want)
		}
		if got := r.Apply(tt.want); got != tt.want {
			t.Errorf("%s: a second time %q becomes %q", tt.name, tt.want, got)
		}
	}
	var none *Replacer
	if none.Apply("x") != "x" || !none.Empty() {
		t.Error("no replacer changes text")
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("song", "Songstuff stuff", "stuff", "song", "song stuff")
	f.Add("a", "b", "b", "a", "a b ab")
	f.Add("诶", "诶诶", "x y", "", "诶x  y")
	f.Fuzz(func(t *testing.T, from1, to1, from2, to2, text string) {
		r := NewReplacer([]wire.Replacement{{From: from1, To: to1}, {From: from2, To: to2}})
		once := r.Apply(text)
		if twice := r.Apply(once); twice != once {
			t.Errorf("%q becomes %q and then %q", text, once, twice)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("words = [\"a\", {text = \"b\", weight = 1}]\n[[replacements]]\nfrom = \"x\"\nto = \"y\"\n"))
	f.Add([]byte("replacements = [{from = 'a', to = 'b'}]"))
	f.Add([]byte("words = [[1], {text = {a = 1}}]\n[[replacements.x]]\n[a.b]\nc = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, problems := Parse(data)
		for _, p := range problems {
			if p.Line < 1 || p.Reason == "" {
				t.Errorf("problem %+v", p)
			}
		}
		for _, w := range list.Words {
			if wrongText(w.Text, MaxText) != "" || w.Weight < 0 || w.Weight > MaxWeight {
				t.Errorf("word %+v", w)
			}
		}
	})
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	f := &File{Path: path}
	if list, changed, err := f.Load(); err != nil || !changed || !list.Empty() {
		t.Errorf("a missing file: %v %t %v", list, changed, err)
	}
	if _, changed, _ := f.Load(); changed {
		t.Error("it changed")
	}
	write := func(text string, mode os.FileMode) {
		t.Helper()
		os.Remove(path)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	write(`words = ["a1"]`, 0o644)
	if list, changed, err := f.Load(); err != nil || !changed || len(list.Words) != 1 {
		t.Errorf("a new file: %v %t %v", list, changed, err)
	}
	write("words = [\"a1\", \"b1\"]\nx = 1", 0o600)
	list, _, err := f.Load()
	var fault *FileError
	if !errors.As(err, &fault) || len(list.Words) != 2 || err.Error() != path+":2: unknown key; there are words and replacements" {
		t.Errorf("a wrong line: %v %v", list, err)
	}
	for mode, want := range map[os.FileMode]error{0o622: ErrWritten, 0o660: ErrWritten} {
		write(`words = ["a1"]`, mode)
		if list, _, err := f.Load(); !errors.Is(err, want) || !list.Empty() {
			t.Errorf("mode %o: %v %v", mode, list, err)
		}
	}
	write(strings.Repeat("#", MaxFile+1), 0o600)
	if _, _, err := f.Load(); !errors.Is(err, ErrSize) {
		t.Errorf("a large file: %v", err)
	}
	os.Remove(path)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Load(); !errors.Is(err, ErrKind) {
		t.Errorf("a FIFO: %v", err)
	}
	if os.Getuid() == 0 {
		write(`words = ["a1"]`, 0o600)
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Load(); !errors.Is(err, ErrOwner) {
			t.Errorf("another user's file: %v", err)
		}
	}
}

func TestProjectFile(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	if err := errors.Join(os.MkdirAll(deep, 0o755), os.Mkdir(filepath.Join(root, "a", ".voice-input"), 0o755)); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(root, "a", ".voice-input", Name)
	if err := os.WriteFile(want, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ProjectFile(deep); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	for _, dir := range []string{root, filepath.Join(root, "none")} {
		if got := ProjectFile(dir); got != "" {
			t.Errorf("found %q from %q", got, dir)
		}
	}
}
