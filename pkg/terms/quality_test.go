package terms

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shareDir is where the dictionaries lie in the source tree.
const shareDir = "../../share/jieba"

// BenchmarkQuality measures how much of the recogniser's view is worth its
// place. The documents are the README files of the modules in the module
// cache; what their authors wrote as inline code is the truth. precision is
// the share of the view's characters that are such terms, recall the share of
// such terms of the budgeted source that are in the whole ranking. peer is the
// algorithm in peer_test.go on the same documents.
func BenchmarkQuality(b *testing.B) {
	d := NewDictionary([]string{shareDir})
	docs := documents(b)
	var ours, peer score
	for b.Loop() {
		ours, peer = score{}, score{}
		for _, doc := range docs {
			truth := codeSpans(doc)
			snapshot, err := Rank(b.Context(), d, doc, DefaultSource)
			if err != nil {
				b.Fatal(err)
			}
			var terms []string
			for _, t := range snapshot.Terms {
				terms = append(terms, t.Text)
			}
			ours.add(terms, truth)
			peer.add(peerTerms(b, d, doc, DefaultSource), truth)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(docs)), "documents")
	b.ReportMetric(ours.precision(), "%precision")
	b.ReportMetric(peer.precision(), "%precision-peer")
	b.ReportMetric(ours.recall(), "%recall")
	b.ReportMetric(peer.recall(), "%recall-peer")
	b.ReportMetric(ours.inView(), "%in-view")
	b.ReportMetric(peer.inView(), "%in-view-peer")
}

// score adds up documents, each with the same weight.
type score struct {
	docs                       int
	precisions, recalls, views float64
}

func (s *score) add(terms []string, truth map[string]bool) {
	view := strings.Split(ASRView(terms).Text, "\n")
	right, all := 0, 0
	for _, t := range view {
		all += len(t)
		if words := trueWords(t, truth); words != nil {
			right += len(t)
		}
	}
	s.docs++
	s.precisions += float64(right) / float64(max(all, 1))
	s.recalls += recall(terms, truth)
	s.views += recall(view, truth)
}

// recall returns the share of the truth that is among the terms.
func recall(terms []string, truth map[string]bool) float64 {
	found := map[string]bool{}
	for _, t := range terms {
		for _, w := range trueWords(t, truth) {
			found[w] = true
		}
	}
	return float64(len(found)) / float64(len(truth))
}

// trueWords returns the words of a term if all of them are true.
func trueWords(term string, truth map[string]bool) []string {
	var words []string
	for _, w := range strings.Fields(term) {
		if w = normal(w); !truth[w] {
			return nil
		}
		words = append(words, w)
	}
	return words
}

func (s *score) precision() float64 { return 100 * s.precisions / float64(s.docs) }
func (s *score) recall() float64    { return 100 * s.recalls / float64(s.docs) }
func (s *score) inView() float64    { return 100 * s.views / float64(s.docs) }

var (
	fenced = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	inline = regexp.MustCompile("`([^`\n]+)`")
)

// codeSpans returns the truth of a document: the words in its code spans, less
// arguments and punctuation.
func codeSpans(doc string) map[string]bool {
	truth := map[string]bool{}
	add := func(s string) {
		if s = normal(s); len(s) > 1 && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
			truth[s] = true
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(doc, ""), -1) {
		for _, w := range strings.Fields(m[1]) {
			add(w)
		}
	}
	return truth
}

// normal returns a term as it is compared: in small letters, without an
// argument list and without punctuation at its ends.
func normal(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := strings.IndexByte(s, '('); i > 0 {
		s = s[:i]
	}
	return strings.Trim(s, "\"'`()[]{}<>,;:!?.*$=&|\\%/")
}

// documents returns the README files of the module cache that have at least
// eight words in code spans and are long enough to make a choice necessary.
func documents(tb testing.TB) []string {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		tb.Fatal(err)
	}
	var docs []string
	root := strings.TrimSpace(string(out))
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == filepath.Join(root, "cache") {
			return fs.SkipDir
		}
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "readme") || !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		// Cut to the budget first, so that both see the same and nothing counts
		// that neither can see.
		head, tail := clamp(string(text), DefaultSource)
		if fence := fenceAt(head); fence != "" {
			head += "\n" + fence
		}
		if fence := fenceAt(string(text[:len(text)-len(tail)])); fence != "" {
			head += "\n" + fence
		}
		doc := head + "\n\n" + tail
		if err == nil && len(codeSpans(doc)) >= 8 && len(doc) > 1000 && !slices.Contains(docs, doc) {
			docs = append(docs, doc)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(docs) < 30 {
		tb.Fatalf("the module cache has %d README files with code spans, the bench needs 30", len(docs))
	}
	return docs
}
