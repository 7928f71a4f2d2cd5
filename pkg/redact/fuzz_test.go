package redact

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// sound checks what must hold for the redaction of any text.
func sound(t *testing.T, s string) {
	got := Text(s)
	if !utf8.ValidString(got.Text) {
		t.Errorf("Text(%q) = %q is not valid", s, got.Text)
	}
	if got.Count != len(got.Removed) {
		t.Errorf("Text(%q): Count = %d with %d spans", s, got.Count, len(got.Removed))
	}
	end := 0
	for _, sp := range got.Removed {
		if sp.Start < end || sp.End > len(got.Text) || got.Text[sp.Start:sp.End] != Marker {
			t.Fatalf("Text(%q): %v does not hold a marker", s, sp)
		}
		end = sp.End
	}
	if again := Text(got.Text); !reflect.DeepEqual(again, got) {
		t.Errorf("Text(%q) = %q, a second time %q", s, got.Text, again.Text)
	}
}

// FuzzText plants a secret on a line of its own into any text: no piece of it may survive, and the result is sound.
func FuzzText(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, shape := range shapes {
		_, carrier := shape.make(r)
		f.Add(carrier, "after", uint64(1))
	}
	for _, s := range surroundings {
		f.Add(s.form, s.form, uint64(2))
	}
	for line := range strings.Lines(harmless) {
		f.Add(line, "", uint64(3))
	}
	f.Add("-----BEGIN \n\n", "\n-----END x-----", uint64(4))
	f.Add("password: |\n  ", "\n\\n\\r\\u003d", uint64(5))
	f.Add("\xff\xfe\x1b[", "█ █", uint64(6))
	f.Add(`"password": "z1`+`TSHj."z1o86j0p"`, "after", uint64(7))                                          // a string after the value
	f.Add("?key=f7090f10-11f3-4895-"+"ab54-a7fb42dda825\x1b[\xc6\x02", "after", uint64(8))                  // an escape that ends in a rune
	f.Add("?st=LNHN5GVQABQXFEM5E5"+"OKNMCecret=LNHN5GVQABQXFEM5E5"+"OKNMCXSIPO&issuer=demo", "", uint64(9)) // one laid bare by another
	f.Fuzz(func(t *testing.T, before, after string, seed uint64) {
		sound(t, before+after)
		r := rand.New(rand.NewPCG(seed, 0))
		secret, carrier := shapes[r.IntN(len(shapes))].make(r)
		text := before + "\n" + carrier + "\n" + after
		got := Text(text).Text
		if p := leaked(got, secret); p != "" && leaked(before+"\n"+after, secret) == "" && leaked(before+after, secret) == "" {
			t.Errorf("%q survives in %q of %q", p, got, text)
		}
		sound(t, text)
	})
}

// TestRule_I1_TwiceIsOnce runs the fuzz target's checks over all that the other suites have.
func TestRule_I1_TwiceIsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, shape := range shapes {
		for _, s := range surroundings {
			_, carrier := shape.make(r)
			sound(t, plant(s.form, carrier))
		}
	}
	sound(t, harmless)
}
