package fakellm

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestFaultsAreMany(t *testing.T) {
	names := map[string]bool{}
	var trials []string
	for _, f := range Faults {
		if names[f.Name] || f.Name == "edit" || (f.content == nil) == (f.serve == nil) || f.Want != Kept && f.Reason != "" {
			t.Errorf("%s is wrong", f.Name)
		}
		names[f.Name] = true
		trials = append(trials, f.Trials...)
	}
	if len(Faults) < 60 {
		t.Errorf("%d faults", len(Faults))
	}
	for _, want := range []string{"L1", "L2", "L3", "L4", "L5", "L7", "L9", "L11", "L12"} {
		if !slices.Contains(trials, want) {
			t.Errorf("no fault for %s", want)
		}
	}
}

// A request with anything wrong is answered with 418, so that no test of a
// client passes with it.
func TestRequestsAreCheckedStrictly(t *testing.T) {
	s, err := Listen("127.0.0.1:0", "sentinel")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const good = `{"model":"fake/edit","stream":false,"temperature":0,"messages":[{"role":"system","content":"edit"},{"role":"user","content":"{\"transcript\":\"um hello there everybody\"}"}]}`
	tests := []struct {
		name, key, body string
		status          int
	}{
		{"good", "sentinel", good, 200},
		{"no key", "", good, 418},
		{"wrong key", "other", good, 418},
		{"unknown member", "sentinel", strings.Replace(good, `"stream"`, `"seed":1,"stream"`, 1), 418},
		{"no stream", "sentinel", strings.Replace(good, `"stream":false,`, ``, 1), 418},
		{"bare transcript", "sentinel", strings.Replace(good, `{\"transcript\":\"um hello there everybody\"}`, `um hello there`, 1), 418},
		{"extra data", "sentinel", strings.Replace(good, `{\"transcript\"`, `{\"title\":\"x\",\"transcript\"`, 1), 418},
		{"leak into the instructions", "sentinel", strings.Replace(good, `"edit"`, `"edit um hello there everybody"`, 1), 418},
		{"no such model", "sentinel", strings.Replace(good, `fake/edit`, `fake/none`, 1), 404},
	}
	for _, tt := range tests {
		req, _ := http.NewRequest(http.MethodPost, s.URL+"/chat/completions", strings.NewReader(tt.body))
		req.Header.Set("Content-Type", "application/json")
		if tt.key != "" {
			req.Header.Set("Authorization", "Bearer "+tt.key)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.status || tt.status == 200 && !strings.Contains(string(b), `"Hello there everybody."`) {
			t.Errorf("%s: %d %s", tt.name, resp.StatusCode, b)
		}
	}
	if n := len(s.Journal()); n != len(tests) {
		t.Errorf("%d of %d requests in the journal", n, len(tests))
	}
	if _, err := Listen("0.0.0.0:0", ""); err == nil {
		t.Error("listens to the world")
	}
}
