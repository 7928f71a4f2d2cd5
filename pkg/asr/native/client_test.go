package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/tape"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
	"voice-input/tests/fakecloud"
)

// key returns a key as it is found.
func key(t *testing.T, value string) apikey.Key {
	t.Helper()
	k, err := apikey.Source{Environ: []string{"K"}}.Find(t.Context(), func(string) string { return value })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func serve(t *testing.T, s fakecloud.Scenario) *fakecloud.Server {
	t.Helper()
	srv, err := fakecloud.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		srv.Close()
		srv.Check(t)
	})
	return srv
}

func client(t *testing.T, srv *fakecloud.Server, change func(*Options)) *Client {
	t.Helper()
	o := Options{URL: srv.URL(fakecloud.NativePath), Key: key(t, srv.Token()), Connect: 5 * time.Second, Request: time.Minute}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// twoSeconds is a short recording in which somebody speaks.
var twoSeconds = sync.OnceValue(func() []byte { return speech(2 * time.Second) })

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		options Options
		want    string // the address, or ! and the failure
	}{
		{Options{}, "https://dashscope.aliyuncs.com" + path},
		{Options{Region: "singapore"}, "https://dashscope-intl.aliyuncs.com" + path},
		{Options{Region: "beijing", Workspace: "llm-1"}, "https://llm-1.cn-beijing.maas.aliyuncs.com" + path},
		{Options{Region: "singapore", Workspace: "llm-1"}, "https://llm-1.ap-southeast-1.maas.aliyuncs.com" + path},
		{Options{Region: "singapore", URL: "https://example.com/own/path?x=1"}, "https://example.com/own/path?x=1"},
		{Options{URL: "http://127.0.0.1:8000/generation"}, "http://127.0.0.1:8000/generation"},
		{Options{URL: "http://example.com/sentinel"}, "!unavailable address"},
		{Options{URL: "wss://example.com/sentinel"}, "!unavailable address"},
		{Options{URL: "https://me:sentinel@example.com/"}, "!unavailable address"},
		{Options{Region: "mars"}, "!unavailable address"},
		{Options{Workspace: "evil.example/sentinel"}, "!unavailable address"},
	} {
		o := tt.options
		o.Key = key(t, "sentinel-key")
		c, err := New(o)
		got := ""
		var f *engine.Failure
		switch {
		case errors.As(err, &f):
			got = "!" + f.Kind + " " + f.Code
			if strings.Contains(fmt.Sprintf("%+v %v", *f, err), "sentinel") {
				t.Errorf("%+v: %v", tt.options, err)
			}
		case err == nil:
			got = c.url
		}
		if got != tt.want {
			t.Errorf("%+v: %q (%v), want %q", tt.options, got, err, tt.want)
		}
	}
	var f *engine.Failure
	if _, err := New(Options{}); !errors.As(err, &f) || f.Kind != engine.Auth || f.Code != "no_key" {
		t.Errorf("without a key: %v", err)
	}
}

func TestRecognize(t *testing.T) {
	for _, workspace := range []bool{false, true} {
		srv := serve(t, fakecloud.Scenario{
			Audio: fakecloud.Sound{Exact: twoSeconds(), Total: 32000}, Text: " 打开 the panel. ",
			Native: fakecloud.NativeOptions{Workspace: workspace},
		})
		hints := engine.Hints{Words: []string{"other"}, Context: "RareModel\nQwen-Audio-3", Vocabulary: []wire.Vocabulary{{Text: "Voice Input", Weight: 5}}}
		text, empty, err := client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(twoSeconds()), []string{"zh", "en"}, hints)
		if text != "打开 the panel." || empty || err != nil {
			t.Errorf("%q, %t, %v", text, empty, err)
		}
		sessions := srv.Sessions(fakecloud.Native)
		if len(sessions) != 1 || !slices.Equal(sessions[0].Context, []string{hints.Context}) {
			t.Errorf("%d requests, context %q", len(sessions), sessions[0].Context)
		}
	}
}

// A2: a context reaches this engine too, and one that was never sent is not
// made up of other words.
func TestRule_A2_ContextIsSentNatively(t *testing.T) {
	for _, context := range []string{"", "RareModel"} {
		srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open"})
		client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(twoSeconds()), nil, engine.Hints{Words: []string{"other"}, Context: context})
		if got := srv.Sessions(fakecloud.Native)[0].Context; !slices.Equal(got, []string{context}) {
			t.Errorf("%q: %q", context, got)
		}
	}
}

func TestNoWords(t *testing.T) {
	for _, f := range []fakecloud.Fault{
		{Name: fakecloud.NoWords}, {Name: fakecloud.NoWords, How: "code"}, {Name: fakecloud.NoWords, How: "lower"},
		{Name: fakecloud.NoWords, How: "fragment"}, {Name: fakecloud.EmptyResult},
	} {
		srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open", Faults: []fakecloud.Fault{f}})
		if text, empty, err := client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(twoSeconds()), nil, engine.Hints{}); text != "" || !empty || err != nil {
			t.Errorf("%+v: %q, %t, %v", f, text, empty, err)
		}
	}
}

// Silence costs no request, and neither does noise.
func TestSilenceCostsNoRequest(t *testing.T) {
	srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "Thank you for watching.", Most: map[string]int{fakecloud.Native: 0}})
	c := client(t, srv, nil)
	for name, pcm := range map[string][]byte{"nothing": nil, "silence": silence(5 * time.Second), "noise": noise(5 * time.Second), "long": silence(400 * time.Second)} {
		if text, empty, err := c.Recognize(t.Context(), bytes.NewReader(pcm), nil, engine.Hints{}); text != "" || !empty || err != nil {
			t.Errorf("%s: %q, %t, %v", name, text, empty, err)
		}
	}
	if n := len(srv.Journal()); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// Whatever goes wrong has a kind, and nothing that the service says gets out
// but a code.
func TestFailures(t *testing.T) {
	type fault = fakecloud.Fault
	status := func(n int, code string) fault {
		return fault{Name: fakecloud.HTTPStatus, Status: n, Code: code, Message: fakecloud.Sentinel}
	}
	for _, tt := range []struct {
		name  string
		fault fault
		want  string
	}{
		{"wrong key", status(401, "InvalidApiKey"), "auth InvalidApiKey"},
		{"not allowed", status(403, "AccessDenied"), "auth AccessDenied"},
		{"too many requests", status(429, "Throttling.RateQuota"), "busy Throttling.RateQuota"},
		{"fault of the service", status(500, "InternalError"), "unavailable InternalError"},
		{"away", status(503, "ServiceUnavailable"), "unavailable ServiceUnavailable"},
		{"too large", status(413, "BadRequest.TooLarge"), "audio BadRequest.TooLarge"},
		{"a sentence for a code", status(400, fakecloud.Sentinel+" said"), "unavailable http_400"},
		{"redirect", fault{Name: fakecloud.Redirect, Status: 307}, "protocol redirect"},
		{"redirect for good", fault{Name: fakecloud.Redirect, Status: 301}, "protocol redirect"},
		{"too long an answer", fault{Name: fakecloud.HugeBody}, "protocol answer_too_large"},
		{"half an answer", fault{Name: fakecloud.CloseMidBody}, "unavailable no_connection"},
		{"reset in an answer", fault{Name: fakecloud.CloseMidBody, How: "rst"}, "unavailable no_connection"},
		{"no JSON", fault{Name: fakecloud.InvalidJSON}, "protocol bad_answer"},
		{"a page", fault{Name: fakecloud.HTMLError}, "unavailable http_502"},
		{"no body", fault{Name: fakecloud.EmptyBody}, "protocol bad_answer"},
		{"nobody there", fault{Name: fakecloud.Refuse, Protocol: fakecloud.TCP}, "unavailable no_connection"},
		{"reset at once", fault{Name: fakecloud.ResetOnAccept, Protocol: fakecloud.TCP}, "unavailable no_connection"},
		{"not HTTP", fault{Name: fakecloud.TLSGarbage, Protocol: fakecloud.TCP}, "unavailable no_connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open", Faults: []fault{tt.fault}})
			text, empty, err := client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(twoSeconds()), nil, engine.Hints{})
			checkFailure(t, srv, text, empty, err, tt.want)
			if len(srv.Sessions(fakecloud.Trap)) != 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

func checkFailure(t *testing.T, srv *fakecloud.Server, text string, empty bool, err error, want string) {
	t.Helper()
	var f *engine.Failure
	if text != "" || empty || !errors.As(err, &f) || f.Kind+" "+f.Code != want {
		t.Errorf("%q, %t, %v, want %s", text, empty, err, want)
		return
	}
	host := strings.TrimPrefix(srv.Base(), "http://")
	for _, secret := range []string{fakecloud.Sentinel, srv.Token(), host} {
		if strings.Contains(fmt.Sprintf("%v %+v", err, *f), secret) {
			t.Errorf("%q stands in %v, %+v", secret, err, f)
		}
	}
}

// A key that one region does not know may be one of the other; at an address
// of the user's own there is no other.
func TestHintOfTheOtherRegion(t *testing.T) {
	_, f := parse(401, []byte(`{"code":"InvalidApiKey"}`), "singapore")
	if !strings.Contains(f.Hint, "beijing") {
		t.Errorf("%q", f.Hint)
	}
	c, err := New(Options{URL: "https://example.com/x", Region: "singapore", Key: key(t, "k")})
	if err != nil || c.o.Region != "" {
		t.Errorf("%v, region %q", err, c.o.Region)
	}
}

// What is harmless is taken.
func TestOddButWholeAnswers(t *testing.T) {
	for _, name := range []string{fakecloud.Gzip, fakecloud.WrongType, fakecloud.SlowBody} {
		srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open", Faults: []fakecloud.Fault{{Name: name, Every: 1}}})
		if text, _, err := client(t, srv, nil).Recognize(t.Context(), bytes.NewReader(twoSeconds()), nil, engine.Hints{}); text != "open" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// However the service does not answer, it is not waited for without end: the
// time of a request and the length of the recording, here 50 ms and a fifth of
// a second.
func TestTimeIsBounded(t *testing.T) {
	for _, f := range []fakecloud.Fault{
		{Name: fakecloud.Hang, Protocol: fakecloud.Native}, {Name: fakecloud.SlowBody, Every: 60_000},
		{Name: fakecloud.HalfOpen, Protocol: fakecloud.Native}, {Name: fakecloud.HangHandshake, Protocol: fakecloud.TCP},
	} {
		t.Run(f.Name, func(t *testing.T) {
			srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open", Faults: []fakecloud.Fault{f}})
			c := client(t, srv, func(o *Options) { o.Request = 50 * time.Millisecond })
			text, empty, err := c.Recognize(t.Context(), bytes.NewReader(speech(200*time.Millisecond)), nil, engine.Hints{})
			checkFailure(t, srv, text, empty, err, "timeout no_answer")
		})
	}
}

// A pass that is given up ends at once, and closes its connection, wherever it
// stands.
func TestCancel(t *testing.T) {
	why := errors.New("given up")
	srv := serve(t, fakecloud.Scenario{Audio: fakecloud.Sound{Any: true}, Text: "open", Faults: []fakecloud.Fault{{Name: fakecloud.Hang, Protocol: fakecloud.Native}}})
	c := client(t, srv, nil)
	run := func(ctx context.Context, pcm io.Reader) error {
		text, empty, err := c.Recognize(ctx, pcm, nil, engine.Hints{})
		if text != "" || empty {
			t.Errorf("%q, %t", text, empty)
		}
		return err
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := run(ctx, bytes.NewReader(twoSeconds())); !errors.Is(err, why) || len(srv.Journal()) != 0 {
		t.Errorf("before it began: %v, %d requests", err, len(srv.Journal()))
	}

	ctx, cancel = context.WithCancelCause(t.Context())
	samples := tape.New(1<<20, true)
	r, err := samples.Reader()
	if err != nil {
		t.Fatal(err)
	}
	samples.Write(twoSeconds())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, r) }()
	cancel(why)
	if err := <-ended; !errors.Is(err, why) || len(srv.Journal()) != 0 {
		t.Errorf("while the samples come: %v, %d requests", err, len(srv.Journal()))
	}

	ctx, cancel = context.WithCancelCause(t.Context())
	go func() { ended <- run(ctx, bytes.NewReader(twoSeconds())) }()
	asked := func(all []fakecloud.Session) bool { return len(all) == 1 && len(all[0].Messages) > 0 }
	if err := srv.Wait(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	cancel(why)
	if err := <-ended; !errors.Is(err, why) {
		t.Errorf("while the answer is awaited: %v", err)
	}
	wait, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := srv.Wait(wait, func(all []fakecloud.Session) bool { return all[0].Closed != nil }); err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
}

// A recording that cannot be read is not recognised as far as it goes: the
// caller knows better what to do.
func TestBrokenSamples(t *testing.T) {
	broken := errors.New("broken")
	r, w := io.Pipe()
	go func() {
		w.Write(twoSeconds())
		w.CloseWithError(broken)
	}()
	srv := serve(t, fakecloud.Scenario{Most: map[string]int{fakecloud.Native: 0}})
	if _, _, err := client(t, srv, nil).Recognize(t.Context(), r, nil, engine.Hints{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
