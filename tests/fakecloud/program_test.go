package fakecloud

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The program serves a scenario by hand and writes the journal.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	program, scenario, journal := filepath.Join(dir, "fakecloud"), filepath.Join(dir, "scenario.json"), filepath.Join(dir, "journal")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/fakecloud").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	os.WriteFile(scenario, []byte(`{"text":"open it.","token":"sk-by-hand","audio":{"any":true},"faults":[{"name":"slow-answer","for":1}]}`), 0o600)
	cmd := exec.Command(program, "--scenario", scenario, "--journal", journal)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	var hello struct{ URL string }
	if err != nil || json.Unmarshal([]byte(line), &hello) != nil || !strings.HasPrefix(hello.URL, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	body, _ := json.Marshal(aNative(make([]byte, 32)))
	r, _ := http.NewRequest(http.MethodPost, hello.URL+NativePath, bytes.NewReader(body))
	r.Header = http.Header{"Authorization": {"Bearer sk-by-hand"}, "Content-Type": {"application/json"}}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	client.CloseIdleConnections()
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &errs)
	}
	text, _ := os.ReadFile(journal)
	var j Session
	if err := json.Unmarshal(text, &j); err != nil || j.Protocol != Native || j.Closed.Code != 200 || len(j.Faults) != 1 ||
		bytes.Contains(text, []byte("sk-by-hand")) {
		t.Errorf("%v: %s", err, text)
	}

	os.WriteFile(scenario, []byte(`{"txet":"open it."}`), 0o600)
	if out, err := exec.Command(program, "--scenario", scenario).CombinedOutput(); err == nil || !strings.Contains(string(out), "txet") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestHideSound(t *testing.T) {
	sound := strings.Repeat("QUJD", 200)
	for in, want := range map[string]string{
		`{"audio":"` + sound + `","a":"b"}`:               `{"audio":"<800 characters>","a":"b"}`,
		`["data:audio/wav;base64,` + sound + `"]`:         `["data:audio/wav;base64,<800 characters>"]`,
		`{"a\"b":"c\\","d":1}`:                            `{"a\"b":"c\\","d":1}`,
		`{"text":"` + strings.Repeat("word ", 200) + `"}`: `{"text":"` + strings.Repeat("word ", 200) + `"}`,
		`{"cut":"`: `{"cut":"`,
		`"\`:       `"\`,
	} {
		if got := hideSound([]byte(in)); got != want {
			t.Errorf("%.60q: %.100q, want %.100q", in, got, want)
		}
	}
}

func FuzzHideSound(f *testing.F) {
	f.Add([]byte(`{"a":"b\\"}`))
	f.Add([]byte(`"data:audio/wav;base64,`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if got := hideSound(in); len(in) < 500 && got != string(in) {
			t.Errorf("%q became %q", in, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}],"a":2}`))
	f.Add([]byte(strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, in []byte) {
		reported := false
		v, ok := parse(in, func(code, path, detail string) { reported = true })
		if ok && !json.Valid(in) || !ok && !reported {
			t.Errorf("%q: %v, %v", in, v, ok)
		}
		runTask(v, "", func(string, string, string) {})
	})
}
