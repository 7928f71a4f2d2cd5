package native

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/internal/remote"
)

func TestParse(t *testing.T) {
	const sentinel = "sentinel"
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string // text, or "kind code"
	}{
		{"general shape", 200, `{"output":{"text":" open the panel. ","sentence":{"text":"x"}},"usage":{"duration":3},"request_id":"r"}`, "open the panel."},
		{"workspace shape", 200, `{"text":"打开面板。","sentence":{},"sentences":[],"output":{"text":"打开面板。"},"usage":{},"request_id":"r"}`, "打开面板。"},
		{"only at the top", 200, `{"text":"open","output":{}}`, "open"},
		{"blank below, text at the top", 200, `{"text":"open","output":{"text":" "}}`, "open"},
		{"blank", 200, `{"output":{"text":" \n"}}`, ""},
		{"null", 200, `{"output":{"text":null}}`, ""},
		{"no text", 200, `{"output":{}}`, ""},
		{"no words, in the message", 400, `{"code":"CLIENT_ERROR","message":"ASR_RESPONSE_HAVE_NO_WORDS"}`, ""},
		{"no words, in the code", 400, `{"code":"ASR_RESPONSE_HAVE_NO_WORDS","message":"sentinel"}`, ""},
		{"no words, in small letters", 400, `{"code":"client_error","message":"asr_response_have_no_words"}`, ""},
		{"no fragment, in the code", 400, `{"code":"SUCCESS_WITH_NO_VALID_FRAGMENT"}`, ""},
		{"no fragment, in the message", 400, `{"code":"x","message":"SUCCESS_WITH_NO_VALID_FRAGMENT"}`, ""},
		{"no words with success", 200, `{"code":"SUCCESS_WITH_NO_VALID_FRAGMENT","output":{}}`, ""},

		{"failure with success", 200, `{"code":"Throttling","message":"sentinel"}`, "!busy Throttling"},
		{"no result", 200, `{"request_id":"sentinel"}`, "!protocol no_output"},
		{"null as a whole", 200, `null`, "!protocol no_output"},
		{"no JSON", 200, `sentinel`, "!protocol bad_answer"},
		{"half of it", 200, `{"output":{"text":"sentinel`, "!protocol bad_answer"},
		{"empty body", 200, ``, "!protocol bad_answer"},
		{"a number", 200, `{"output":{"text":12345}}`, "!protocol bad_answer"},
		{"a list", 200, `{"output":["sentinel"]}`, "!protocol bad_answer"},
		{"two values", 200, `{"output":{"text":"sentinel"}}{}`, "!protocol bad_answer"},
		{"nested", 200, `{"output":{"text":"x","y":` + strings.Repeat("[", 20000) + `}}`, "!protocol bad_answer"},

		{"wrong key", 401, `{"code":"InvalidApiKey","message":"sentinel"}`, "!auth InvalidApiKey"},
		{"not allowed", 403, `{"code":"AccessDenied"}`, "!auth AccessDenied"},
		{"owes money", 400, `{"code":"Arrearage"}`, "!auth Arrearage"},
		{"no such model", 404, `{"code":"ModelNotFound"}`, "!unavailable ModelNotFound"},
		{"too much", 429, `{"code":"Throttling.RateQuota"}`, "!busy Throttling.RateQuota"},
		{"too long", 400, `{"code":"AUDIO_DURATION_TOO_LONG"}`, "!audio AUDIO_DURATION_TOO_LONG"},
		{"too large", 400, `{"code":"BadRequest.TooLarge"}`, "!audio BadRequest.TooLarge"},
		{"a page", 502, `<html>sentinel</html>`, "!unavailable http_502"},
		{"no body", 413, ``, "!audio http_413"},
		{"a text for a code", 400, `{"code":"the sentinel says"}`, "!unavailable http_400"},
		{"a failure with a text", 500, `{"output":{"text":"sentinel"}}`, "!unavailable http_500"},
	} {
		text, f := parse(tt.status, []byte(tt.body), "beijing")
		got := text
		if f != nil {
			got = "!" + f.Kind + " " + f.Code
			if text != "" || strings.Contains(fmt.Sprintf("%+v %v %q", *f, f, f.Hint), sentinel) {
				t.Errorf("%s: %q, %+v", tt.name, text, f)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"output":{"text":"open"},"request_id":"r"}`, `{"text":"打开","output":{"text":""}}`, `{"output":null,"text":null}`,
		`{"code":"CLIENT_ERROR","message":"ASR_RESPONSE_HAVE_NO_WORDS"}`, `{"code":1}`, "", "null", `{"output":{"text":"\ud800"}}`, "\xff{",
	} {
		f.Add(200, []byte(s))
		f.Add(400, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if len(body) > remote.MaxBody {
			return
		}
		text, failure := parse(status, body, "singapore")
		switch {
		case text != "" && (status != 200 || failure != nil):
			t.Errorf("text of a failure")
		case text != strings.TrimSpace(text) || !utf8.ValidString(text):
			t.Errorf("%q", text)
		case failure != nil && (engine.KnownKind(failure.Kind) != failure.Kind || engine.Code(failure.Code) != failure.Code || failure.Code == ""):
			t.Errorf("%+v", failure)
		}
	})
}
