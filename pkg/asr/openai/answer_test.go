package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"voice-input/pkg/internal/remote"
)

const (
	sseOpenAI = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"Open the \"}\n\n" +
		"data: {\"type\":\"transcript.text.delta\",\"delta\":\"panel 面板.\"}\n\n" +
		"data: {\"type\":\"transcript.text.done\",\"text\":\"Open the panel 面板.\",\"usage\":{\"type\":\"tokens\",\"input_tokens\":14}}\n\n"
	sseVLLM = "data: {\"id\":\"trsc-1\",\"object\":\"transcription.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"Open \"},\"finish_reason\":null,\"stop_reason\":null}]}\n\n" +
		"data: {\"object\":\"transcription.chunk\",\"choices\":[{\"delta\":{\"content\":\"it.\"},\"finish_reason\":\"stop\"}]}\n\n" +
		"data: {\"object\":\"transcription.chunk\",\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n"
)

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		err            error // errors.Is; a *serviceError by its code
	}{
		{"JSON", `{"text":"Open the panel.","usage":{"type":"duration","seconds":3}}`, "Open the panel.", nil},
		{"JSON with blanks", "\r\n \ufeff{\"text\":\" Open it. \"}\n", "Open it.", nil},
		{"no words", `{"text":""}`, "", nil},
		{"verbose", `{"task":"transcribe","language":"en","duration":2.1,"text":" Open it.","segments":[{"id":0,"text":" Open it.","avg_logprob":-0.2}],"words":[]}`, "Open it.", nil},
		{"segments alone", `{"segments":[{"text":" Open"},{"text":" it."}]}`, "Open it.", nil},
		{"languages", `{"text":"x","languages":[{"code":"en"}]}`, "x", nil},
		{"null error", `{"text":"x","error":null}`, "x", nil},
		{"error in a good answer", `{"error":{"code":"bad_thing","message":"sentinel"}}`, "", &serviceError{code: "bad_thing"}},
		{"text is a number", `{"text":7}`, "", errNotAnswer},
		{"no text", `{"task":"transcribe"}`, "", errNotAnswer},
		{"null text", `{"text":null}`, "", errNotAnswer},
		{"cut off", `{"text":"sentinel`, "", errNotAnswer},
		{"two documents", `{"text":"a"}{"text":"b"}`, "", errNotAnswer},
		{"array", `["a"]`, "", errNotAnswer},
		{"empty", ``, "", errNotAnswer},
		{"blank", " \n", "", errNotAnswer},
		{"page", "<html><body>502 sentinel</body></html>", "", errNotAnswer},
		{"bare text", "Open the panel.", "", errNotAnswer},
		{"deep", `{"x":` + strings.Repeat("[", 100_000), "", errNotAnswer},

		{"OpenAI", sseOpenAI, "Open the panel 面板.", nil},
		{"OpenAI, CR LF", strings.ReplaceAll(sseOpenAI, "\n", "\r\n"), "Open the panel 面板.", nil},
		{"OpenAI, CR", strings.ReplaceAll(sseOpenAI, "\n", "\r"), "Open the panel 面板.", nil},
		{"OpenAI, no blank", strings.ReplaceAll(sseOpenAI, "data: ", "data:"), "Open the panel 面板.", nil},
		{"OpenAI, comments", ": hello\n\n" + strings.ReplaceAll(sseOpenAI, "data: ", ": ping\nevent: x\nid: 1\nretry: 5\ndata: "), "Open the panel 面板.", nil},
		{"OpenAI, with a byte order mark", "\ufeff" + sseOpenAI, "Open the panel 面板.", nil},
		{"OpenAI, and [DONE]", sseOpenAI + "data: [DONE]\n\n", "Open the panel 面板.", nil},
		{"OpenAI, other end", strings.Replace(sseOpenAI, `"text":"Open the panel 面板."`, `"text":"Close it."`, 1), "Close it.", nil},
		{"OpenAI, end alone", `data: {"type":"transcript.text.done","text":"x"}`, "x", nil},
		{"OpenAI, over lines", "data: {\"type\":\ndata: \"transcript.text.done\",\ndata: \"text\":\"x\"}\n\n", "x", nil},
		{"OpenAI, segments too", "data: {\"type\":\"transcript.text.segment\",\"text\":\"x\",\"start\":0}\n\n" + sseOpenAI, "Open the panel 面板.", nil},
		{"OpenAI, unknown types", "data: {\"type\":\"new.thing\",\"delta\":{\"a\":1},\"text\":[]}\n\n" + sseOpenAI, "Open the panel 面板.", nil},
		{"OpenAI, cut off", sseOpenAI[:strings.Index(sseOpenAI, `data: {"type":"transcript.text.done"`)], "Open the panel 面板.", errCutOff},
		{"OpenAI, end without text", `data: {"type":"transcript.text.done"}`, "", errNotAnswer},
		{"OpenAI, delta of a number", "data: {\"type\":\"transcript.text.delta\",\"delta\":7}\n\n", "", errNotAnswer},
		{"OpenAI, error", sseOpenAI[:strings.Index(sseOpenAI, "\n\n")] + "\n\ndata: {\"error\":{\"code\":\"server_error\",\"message\":\"sentinel\"}}\n\n", "Open the ", &serviceError{code: "server_error"}},
		{"OpenAI, error event", "data: {\"type\":\"error\",\"code\":\"x\",\"message\":\"sentinel\"}\n\n", "", &serviceError{code: "x"}},
		{"OpenAI, no JSON", "data: sentinel\n\n", "", errNotAnswer},

		{"vLLM", sseVLLM + "data: [DONE]\n\n", "Open it.", nil},
		{"vLLM, [DONE] at once", "data: [DONE]\n\n", "", nil},
		{"vLLM, no [DONE]", sseVLLM, "Open it.", nil},
		{"vLLM, cut off", sseVLLM[:strings.Index(sseVLLM, "\n\n")+2], "Open ", errCutOff},
		{"vLLM, null content", "data: {\"object\":\"transcription.chunk\",\"choices\":[{\"delta\":{\"content\":null}}]}\n\ndata: [DONE]\n\n", "", nil},
		{"vLLM, error", "data: {\"object\":\"error\",\"error\":{\"message\":\"sentinel\",\"code\":400}}\n\n", "", &serviceError{code: "error_400"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
			} {
				shown := ""
				got, err := readAnswer(in, func(s string) { shown = s })
				var said, want *serviceError
				same := errors.Is(err, tt.err)
				if errors.As(tt.err, &want) {
					same = errors.As(err, &said) && said.code == want.code
				}
				if got != tt.want || !same || err != nil && strings.Contains(err.Error(), "sentinel") {
					t.Errorf("%s: %q, %v, want %q, %v", name, got, err, tt.want, tt.err)
				}
				if tt.err != nil && shown != "" && got != shown {
					t.Errorf("%s: shown %q, kept %q", name, shown, got)
				}
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	long := strings.Repeat("x", remote.MaxBody)
	for name, in := range map[string]string{
		"document":    `{"text":"` + long + `"}`,
		"stream":      strings.Repeat("data: {\"type\":\"x\"}\n\n", remote.MaxBody/20+1),
		"white space": strings.Repeat(" ", remote.MaxBody+10),
		"comments":    strings.Repeat(": x\n", remote.MaxBody/4+1),
	} {
		if _, err := readAnswer(strings.NewReader(in), func(string) {}); !errors.Is(err, remote.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, in := range map[string]string{
		"line":  "data: " + strings.Repeat("x", maxEvent+1),
		"event": strings.Repeat("data: "+strings.Repeat("x", maxEvent/4)+"\n", 5),
	} {
		if _, err := readAnswer(strings.NewReader(in), func(string) {}); !errors.Is(err, errEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBrokenConnection(t *testing.T) {
	broken := errors.New("broken")
	for in, want := range map[string]string{`{"text":"a`: "", sseVLLM[:strings.Index(sseVLLM, "\n\n")+2]: "Open "} {
		got, err := readAnswer(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), func(string) {})
		if got != want || !errors.Is(err, broken) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestErrorCode(t *testing.T) {
	for in, want := range map[string]string{
		`{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`: "invalid_api_key",
		`{"error":{"message":"m","type":"invalid_request_error","code":null}}`:                           "invalid_request_error",
		`{"object":"error","message":"m","type":"NotFoundError","code":404}`:                             "error_404",
		`{"code":"InvalidApiKey","message":"m"}`:                                                         "InvalidApiKey",
		`{"error":"m"}`:                                                                                  "", `{"detail":"m"}`: "", ``: "", `[]`: "", `<html>`: "",
	} {
		if got := errorCode([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{sseOpenAI, sseVLLM, "data: [DONE]", `{"text":"x"}`, "\r\r\n:\ndata", "data:\ndata:\n\n", "\xff\xfe", `{"error":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := readAnswer(bytes.NewReader(in), func(string) {})
		slow, slowErr := readAnswer(iotest.OneByteReader(bytes.NewReader(in)), func(string) {})
		if whole != slow || fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Errorf("%q, %v; byte by byte %q, %v", whole, err, slow, slowErr)
		}
		if len(whole) > 3*len(in) { // an invalid byte becomes three
			t.Errorf("%d bytes of text", len(whole))
		}
	})
}

func FuzzErrorCode(f *testing.F) {
	f.Add([]byte(`{"error":{"code":"x","type":1},"code":[]}`))
	f.Fuzz(func(t *testing.T, in []byte) { errorCode(in) })
}
