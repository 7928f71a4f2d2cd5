package fakecloud

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// aWAV is a file of samples at 16 kHz.
func aWAV(pcm []byte) []byte {
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+len(pcm)))
	b.WriteString("WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(16000), uint32(32000), uint16(2), uint16(16)} {
		binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(len(pcm)))
	b.Write(pcm)
	return b.Bytes()
}

func aURI(pcm []byte) string {
	return "data:audio/wav;base64," + base64.StdEncoding.EncodeToString(aWAV(pcm))
}

// answer is an answer as a careless client sees it.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{DisableCompression: true}}

func do(t *testing.T, srv *Server, method, path, kind string, body []byte) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return doContext(ctx, srv, method, path, kind, body)
}

func doContext(ctx context.Context, srv *Server, method, path, kind string, body []byte) answer {
	r, err := http.NewRequestWithContext(ctx, method, srv.URL(path), bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	r.Header.Set("Authorization", "bearer "+srv.Token()) // the scheme has no case
	r.Header.Set("Content-Type", kind)
	a, err := client.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer a.Body.Close()
	all, err := io.ReadAll(a.Body)
	return answer{a.StatusCode, a.Header, string(all), err}
}

func postJSON(t *testing.T, srv *Server, path string, v any) answer {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, srv, http.MethodPost, path, "application/json", body)
}

// part is a part of a form: a field, or a file if it has a type.
type part struct{ name, value, file, kind string }

func aForm(parts ...part) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		disposition := fmt.Sprintf(`form-data; name="%s"`, p.name)
		if p.file != "" {
			disposition += fmt.Sprintf(`; filename="%s"`, p.file)
		}
		h.Set("Content-Disposition", disposition)
		if p.kind != "" {
			h.Set("Content-Type", p.kind)
		}
		one, _ := w.CreatePart(h)
		io.WriteString(one, p.value)
	}
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

func aFile(samples int64) part {
	return part{"file", string(aWAV(Ramp(0, samples))), "take.wav", "audio/wav"}
}

func postForm(t *testing.T, srv *Server, path string, parts ...part) answer {
	t.Helper()
	kind, body := aForm(parts...)
	return do(t, srv, http.MethodPost, path, kind, body)
}

func decode(t *testing.T, s string) object {
	t.Helper()
	var m object
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatalf("%v: %.200s", err, s)
	}
	return m
}

// The faults of answers, which are those of every protocol.
func TestFaultsOfAnswers(t *testing.T) {
	const right = `{"text":" open it.\n"}`
	for name, c := range map[string]struct {
		fault Fault
		good  func(answer) bool
	}{
		HTTPStatus: {Fault{Status: 429, Code: "x", Header: []Field{{"Retry-After", "3"}}}, func(a answer) bool {
			return a.status == 429 && a.header.Get("Retry-After") == "3" && strings.Contains(a.body, Sentinel)
		}},
		Redirect: {Fault{Status: 301}, func(a answer) bool {
			return a.status == 301 && strings.HasSuffix(a.header.Get("Location"), TrapPath)
		}},
		HugeBody: {Fault{}, func(a answer) bool {
			return a.status == 200 && len(a.body) == 2<<20+1 && json.Valid([]byte(a.body)) && strings.HasSuffix(a.body, `"text":" open it.\n"}`)
		}},
		SlowBody:     {Fault{Every: 1}, func(a answer) bool { return a.body == right }},
		SlowAnswer:   {Fault{For: 20}, func(a answer) bool { return a.body == right }},
		CloseMidBody: {Fault{}, func(a answer) bool { return errors.Is(a.err, io.ErrUnexpectedEOF) && a.body == right[:len(right)/2] }},
		InvalidJSON: {Fault{}, func(a answer) bool {
			return a.status == 200 && !json.Valid([]byte(a.body)) && strings.Contains(a.body, Sentinel)
		}},
		WrongType: {Fault{}, func(a answer) bool {
			return a.header.Get("Content-Type") == "application/octet-stream" && a.body == right
		}},
		Gzip: {Fault{}, func(a answer) bool {
			return a.header.Get("Content-Encoding") == "gzip" && strings.HasPrefix(a.body, "\x1f\x8b")
		}},
		HTMLError:       {Fault{}, func(a answer) bool { return a.status == 502 && strings.Contains(a.body, "<h1>") }},
		EmptyBody:       {Fault{}, func(a answer) bool { return a.status == 200 && a.body == "" && a.err == nil }},
		EmptyResult:     {Fault{}, func(a answer) bool { return a.status == 200 && a.body == `{"text":""}` }},
		PunctuationOnly: {Fault{}, func(a answer) bool { return a.body == `{"text":" .\n"}` }},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Name = name
			srv := start(t, Scenario{Text: "open it.", Faults: []Fault{c.fault}})
			a := postForm(t, srv, InferencePath, aFile(1600))
			if !c.good(a) {
				t.Errorf("answer: %d %v %.200q %v", a.status, a.header, a.body, a.err)
			}
			happened(t, srv, name)
			check(t, srv)
		})
	}
	t.Run("only long ones", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: HTTPStatus, Status: 500, Samples: 3200}}})
		if a := postForm(t, srv, InferencePath, aFile(1600)); a.status != 200 {
			t.Errorf("short: %d", a.status)
		}
		if a := postForm(t, srv, InferencePath, aFile(3200)); a.status != 500 {
			t.Errorf("long: %d", a.status)
		}
	})
	t.Run("reset", func(t *testing.T) {
		srv := start(t, Scenario{Faults: []Fault{{Name: CloseMidBody, How: "rst"}}})
		if a := postForm(t, srv, InferencePath, aFile(1600)); a.err == nil {
			t.Errorf("answer: %+v", a)
		}
	})
}

func TestHangEndsWithTheClient(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: Hang}}})
	ctx, cancel := context.WithCancel(t.Context())
	kind, body := aForm(aFile(1600))
	done := make(chan answer)
	go func() { done <- doContext(ctx, srv, http.MethodPost, InferencePath, kind, body) }()
	until(t, srv, func(all []Session) bool { return len(all) == 1 && len(all[0].Faults) == 1 })
	cancel()
	<-done
	if j := until(t, srv, closed(1))[0]; j.Closed.By != "client" || j.Closed.How != "aborted" {
		t.Errorf("closed = %+v", j.Closed)
	}
}

func TestTrap(t *testing.T) {
	srv := start(t, Scenario{Faults: []Fault{{Name: Redirect}}})
	kind, body := aForm(aFile(1600))
	r, _ := http.NewRequest(http.MethodPost, srv.URL(InferencePath), bytes.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+srv.Token())
	a, err := http.DefaultClient.Do(r) // which follows
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if got := violations(srv); got != "followed-redirect key-leaked" {
		t.Errorf("violations = %q", got)
	}
}

func TestUnknownPath(t *testing.T) {
	srv := start(t, Scenario{})
	if a := do(t, srv, http.MethodGet, "/v2/audio", "", nil); a.status != 404 || violations(srv) != "path" {
		t.Errorf("%d, %v", a.status, srv.Violations())
	}
}

func TestInference(t *testing.T) {
	srv := start(t, Scenario{Text: "open it.\nclose it."})
	for format, want := range map[string]string{
		"":             `{"text":" open it.\n close it.\n"}`,
		"json":         `{"text":" open it.\n close it.\n"}`,
		"text":         " open it.\n close it.\n",
		"verbose_json": "",
	} {
		parts := []part{aFile(1600), {name: "language", value: "auto"}, {name: "prompt", value: "a, b"}, {name: "temperature", value: "0.0"}}
		if format != "" {
			parts = append(parts, part{name: "response_format", value: format})
		}
		a := postForm(t, srv, InferencePath, parts...)
		if a.status != 200 || want != "" && a.body != want {
			t.Errorf("%s: %+v", format, a)
		}
		if format == "verbose_json" && decode(t, a.body)["segments"] == nil {
			t.Errorf("%s: %s", format, a.body)
		}
		if format == "text" && !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %v", format, a.header)
		}
	}
	if a := srv.Journal()[0].Audio[0]; !a.Exact(1600) || !a.Complete {
		t.Errorf("audio = %+v", a)
	}
	check(t, srv)
}

func TestInferenceIsSerial(t *testing.T) {
	srv := start(t, Scenario{Inference: InferenceOptions{Work: 100}})
	began := time.Now()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { postForm(t, srv, InferencePath, aFile(16)) })
	}
	all.Wait()
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("three took %v", took)
	}
}

func TestInferenceEndsWithTheClient(t *testing.T) {
	srv := start(t, Scenario{Inference: InferenceOptions{Work: 1000000}, Most: map[string]int{Inference: 1}})
	kind, body := aForm(aFile(1600))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan answer)
	go func() { done <- doContext(ctx, srv, http.MethodPost, InferencePath, kind, body) }()
	until(t, srv, func(all []Session) bool { return len(all) == 1 && len(all[0].Audio) == 1 })
	cancel()
	<-done
	if j := until(t, srv, closed(1))[0]; j.Closed.How != "aborted" {
		t.Errorf("closed = %+v", j.Closed)
	}
}

func TestHealth(t *testing.T) {
	srv := start(t, Scenario{Inference: InferenceOptions{Loading: 200, Path: "/v1/audio/transcriptions"}})
	if a := do(t, srv, http.MethodGet, HealthPath, "", nil); a.status != 503 || a.body != `{"status":"loading model"}` {
		t.Errorf("first: %+v", a)
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if a := do(t, srv, http.MethodGet, HealthPath, "", nil); a.status == 200 && a.body == `{"status":"ok"}` {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it loads for ever")
		}
	}
	if a := postForm(t, srv, "/v1/audio/transcriptions", aFile(16)); a.body != `{"text":""}` {
		t.Errorf("answer: %+v", a)
	}
	check(t, srv)
}

func TestInferenceViolations(t *testing.T) {
	for name, c := range map[string]struct {
		parts  []part
		want   string
		status int
	}{
		"unknown":      {[]part{aFile(16), {name: "volume", value: "11"}}, "unknown-field", 200},
		"no file":      {[]part{{name: "language", value: "en"}}, "missing-field", 400},
		"no ending":    {[]part{{"file", string(aWAV(Ramp(0, 16))), "take", "audio/wav"}}, "wrong-value", 200},
		"no type":      {[]part{{"file", string(aWAV(Ramp(0, 16))), "take.wav", ""}}, "wrong-value", 200},
		"no WAV":       {[]part{{"file", "abc", "take.wav", "audio/wav"}}, "wav", 400},
		"language":     {[]part{aFile(16), {name: "language", value: "zh-Hans"}}, "wrong-value", 200},
		"format":       {[]part{aFile(16), {name: "response_format", value: "xml"}}, "wrong-value", 200},
		"field twice":  {[]part{aFile(16), {name: "prompt", value: "a"}, {name: "prompt", value: "b"}}, "duplicate-field", 200},
		"not UTF-8":    {[]part{aFile(16), {name: "prompt", value: "\xff"}}, "wrong-type", 200},
		"empty prompt": {[]part{aFile(16), {name: "prompt"}}, "wrong-value", 200},
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, Scenario{})
			a := postForm(t, srv, InferencePath, c.parts...)
			if got := violations(srv); got != c.want || a.status != c.status {
				t.Errorf("%d, violations = %q, want %d %q: %v", a.status, got, c.status, c.want, srv.Violations())
			}
		})
	}
	srv := start(t, Scenario{})
	do(t, srv, http.MethodPost, InferencePath, "application/json", []byte("{}"))
	if got := violations(srv); got != BadForm {
		t.Errorf("violations = %q", got)
	}
}

func TestParseWAV(t *testing.T) {
	good := aWAV(Ramp(0, 100))
	if rate, pcm, problem := parseWAV(good); rate != 16000 || !bytes.Equal(pcm, Ramp(0, 100)) || problem != "" {
		t.Errorf("%d, %d bytes, %q", rate, len(pcm), problem)
	}
	for name, spoil := range map[string]func(b []byte) []byte{
		"short":         func(b []byte) []byte { return b[:11] },
		"cut":           func(b []byte) []byte { return b[:len(b)-2] },
		"more":          func(b []byte) []byte { return append(b, 0, 0) },
		"streaming":     func(b []byte) []byte { binary.LittleEndian.PutUint32(b[4:], 0xffffffff); return b },
		"data too long": func(b []byte) []byte { binary.LittleEndian.PutUint32(b[40:], 1<<20); return b },
		"float":         func(b []byte) []byte { b[20] = 3; return b },
		"stereo":        func(b []byte) []byte { b[22] = 2; return b },
		"8 bit":         func(b []byte) []byte { b[34] = 8; return b },
		"byte rate":     func(b []byte) []byte { b[28]++; return b },
		"no data":       func(b []byte) []byte { b = b[:36]; binary.LittleEndian.PutUint32(b[4:], 28); return b },
		"no fmt":        func(b []byte) []byte { copy(b[12:], "junk"); return b },
	} {
		if _, _, problem := parseWAV(spoil(bytes.Clone(good))); problem == "" {
			t.Errorf("%s is accepted", name)
		}
	}
}

func FuzzParseWAV(f *testing.F) {
	f.Add(aWAV(Ramp(0, 10)))
	f.Add([]byte("RIFF\x04\x00\x00\x00WAVE"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if rate, pcm, problem := parseWAV(file); problem == "" && (rate == 0 || len(pcm)%2 != 0 || len(pcm) > len(file)) {
			t.Errorf("%d, %d", rate, len(pcm))
		}
	})
}
