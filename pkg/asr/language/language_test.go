package language

import (
	"slices"
	"testing"
)

func TestHints(t *testing.T) {
	for _, tt := range []struct {
		tag    string
		listed []string
		want   []string
		one    string
	}{
		{"", nil, nil, ""},
		{"auto", nil, nil, ""},
		{"en", nil, []string{"en"}, "en"},
		{"en-GB", nil, []string{"en"}, "en"},
		{"zh-Hans", nil, []string{"zh", "en"}, "zh"},
		{"zh-Hant-TW", nil, []string{"zh", "en"}, "zh"},
		{"cmn", nil, []string{"zh", "en"}, "zh"},
		{"yue", nil, []string{"yue"}, "yue"},
		{"ja", nil, []string{"ja", "en"}, "ja"},
		{"ko-KR", nil, []string{"ko", "en"}, "ko"},
		{"DE", nil, []string{"de"}, "de"},
		{"", []string{"fr"}, []string{"fr"}, "fr"},
		{"", []string{"zh-CN", "en", "zh", "ja", "ko", "fr"}, []string{"zh", "en", "ja", "ko"}, ""},
		{"de", []string{"en", "de"}, []string{"en", "de"}, "de"},
		{"", []string{"auto"}, nil, ""},
	} {
		if got := Hints(tt.tag, tt.listed); !slices.Equal(got, tt.want) {
			t.Errorf("%q, %q: %q, want %q", tt.tag, tt.listed, got, tt.want)
		}
		if got := One(tt.tag, tt.listed); got != tt.one {
			t.Errorf("%q, %q: one is %q, want %q", tt.tag, tt.listed, got, tt.one)
		}
	}
}
