package qwenrealtime

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Each step is what comes: "+i<h" places i behind h, "i~text" is a draft,
// "i=text" completes, "i!" fails.
func TestTranscript(t *testing.T) {
	for _, tt := range []struct{ name, steps, committed, draft string }{
		{"nothing", "", "", ""},
		{"draft", "a~open;a~open the", "", "open the"},
		{"completed", "a~open;a=Open it.", "Open it.", ""},
		{"two pieces", "a=Open it.;b=Close it.", "Open it. Close it.", ""},
		{"Chinese", "a=打开面板。;b=关闭", "打开面板。关闭", ""},
		{"completed twice", "a=Open.;a=Open.", "Open.", ""},
		{"revised", "a=Open.;b~clo;a=Open it.", "Open it.", "clo"},
		{"late draft", "a=Open.;a~op", "Open.", ""},
		{"completed before the one before it", "a~open;b=Close.;a=Open.", "Open. Close.", ""},
		{"not yet", "a~open;b=Close.", "", "open Close."},
		{"chain", "b=Close.;+a<;+b<a;a=Open.", "Open. Close.", ""},
		{"chain before text", "+a<;+b<a;b=Close.;a=Open.", "Open. Close.", ""},
		{"chain backwards", "+b<a;+a<;b=Close.;a=Open.", "Open. Close.", ""},
		{"chain to itself", "+a<a;a=Open.", "Open.", ""},
		{"failed keeps its draft", "a~open the;a!;b=Close.", "open the Close.", ""},
		{"failed without text", "a!;b=Close.", "Close.", ""},
		{"empty piece", "a=;b=Close.", "Close.", ""},
		{"blanks", "a= Open. ;b= Close. ", "Open. Close.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTranscript()
			for _, s := range strings.Split(tt.steps, ";") {
				step(tr, s)
			}
			committed, draft := tr.texts()
			if committed != tt.committed || draft != tt.draft {
				t.Errorf("%q + %q, want %q + %q", committed, draft, tt.committed, tt.draft)
			}
		})
	}
}

func step(tr *transcript, s string) {
	switch {
	case s == "":
	case s[0] == '+':
		id, previous, _ := strings.Cut(s[1:], "<")
		tr.place(id, previous)
	case s[1] == '~':
		tr.draft(s[:1], s[2:])
	case s[1] == '=':
		tr.complete(s[:1], s[2:])
	case s[1] == '!':
		tr.fail(s[:1])
	}
}

// In whatever order the pieces are completed, the text is the same, and what
// is committed only grows.
func TestAnyOrder(t *testing.T) {
	const n = 12
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		tr, want := newTranscript(), ""
		for i := range n {
			id := fmt.Sprint("item", i)
			previous := ""
			if i > 0 {
				previous = fmt.Sprint("item", i-1)
			}
			tr.place(id, previous)
			want += fmt.Sprint(" w", i)
		}
		before := ""
		for _, i := range random.Perm(n) {
			tr.complete(fmt.Sprint("item", i), fmt.Sprint("w", i))
			committed, _ := tr.texts()
			if !strings.HasPrefix(committed, before) {
				t.Fatalf("seed %d: %q became %q", seed, before, committed)
			}
			before = committed
		}
		if got := tr.all(); got != want[1:] {
			t.Fatalf("seed %d: %q", seed, got)
		}
	}
}

func TestTooManyPieces(t *testing.T) {
	tr := newTranscript()
	for i := range maxItems {
		if !tr.draft(fmt.Sprint(i), "x") {
			t.Fatalf("piece %d", i)
		}
	}
	if tr.draft("more", "x") || tr.complete("more", "x") || !tr.draft("7", "y") {
		t.Error("one more is taken")
	}
	tr.place("more", "7")
	tr.fail("more")
}

func FuzzTranscript(f *testing.F) {
	f.Add("a~x;+b<a;b=y;a=z;a!")
	f.Add("+b<c;+c<b;+b<b;c=x")
	f.Fuzz(func(t *testing.T, in string) {
		tr := newTranscript()
		for _, s := range strings.Split(in, ";") {
			if len(s) >= 2 {
				step(tr, s)
			}
		}
		seen := map[string]bool{}
		for _, it := range tr.items {
			if seen[it.id] {
				t.Fatalf("piece %q twice", it.id)
			}
			seen[it.id] = true
		}
	})
}
