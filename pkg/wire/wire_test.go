package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("u", false, "write goldens that do not exist yet; existing ones are a promise and stay")

// filled returns a record of r's type in which every member has a value that
// is not zero, so that a golden shows every member.
func filled(r Record) Record {
	n := 0
	var fill func(v reflect.Value, name string)
	fill = func(v reflect.Value, name string) {
		n++
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), name)
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), strings.ToLower(v.Type().Field(i).Name))
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), name)
			fill(v.Index(1), name)
		case reflect.String:
			// Characters that a careless encoder would escape or break.
			v.SetString(fmt.Sprintf("%s <&> 说 %d", name, n))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Float64:
			v.SetFloat(float64(n) / 64)
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(n) * 1000003)
		case reflect.Uint64:
			v.SetUint(uint64(n) * 1000003)
		default:
			panic("no filler for " + v.Kind().String())
		}
	}
	out := reflect.New(reflect.TypeOf(r).Elem()).Interface().(Record)
	fill(reflect.ValueOf(out).Elem(), "")
	*out.header() = Header{Schema: out.SchemaName(), Reason: OK}
	return out
}

func goldenPath(r Record) string {
	name, major, _ := splitSchema(r.SchemaName())
	return filepath.Join("testdata", fmt.Sprintf("v%d", major), name+".json")
}

func TestGoldenRoundTrip(t *testing.T) {
	for _, r := range Records() {
		t.Run(r.SchemaName(), func(t *testing.T) {
			want := filled(r)
			line, err := Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			path := goldenPath(r)
			golden, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) && *update {
				golden, err = line, os.WriteFile(path, line, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(line, golden) {
				t.Errorf("encoding differs from the golden\n got %s\nwant %s", line, golden)
			}
			got := reflect.New(reflect.TypeOf(r).Elem()).Interface().(Record)
			if err := Decode(golden, got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("decoded golden differs\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// A schema constant without a record, a record without a golden or a golden
// without a record would each hide a hole in the tests above.
func TestEverySchemaIsComplete(t *testing.T) {
	var schemas []string
	for _, r := range Records() {
		schemas = append(schemas, r.SchemaName())
	}
	for s := range reasons {
		if !slices.Contains(schemas, s) {
			t.Errorf("%s has reasons but is not in Records", s)
		}
	}
	for _, s := range schemas {
		if Reasons(s) == nil {
			t.Errorf("%s has no list of reasons", s)
		}
	}
	files, _ := filepath.Glob("testdata/v*/*.json")
	if len(files) != len(schemas) {
		t.Errorf("%d goldens for %d schemas", len(files), len(schemas))
	}
}

// An unknown member anywhere is ignored and changes nothing else.
func TestGrease(t *testing.T) {
	var grease func(v any) any
	grease = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{"grease_7f3a": map[string]any{"schema": 7, "x": []any{nil}}}
			for k, e := range v {
				out[k] = grease(e)
			}
			return out
		case []any:
			for i := range v {
				v[i] = grease(v[i])
			}
		}
		return v
	}
	for _, r := range Records() {
		golden, err := os.ReadFile(goldenPath(r))
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(golden))
		dec.UseNumber()
		var tree any
		if err := dec.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		greased, _ := json.Marshal(grease(tree))
		if !bytes.Contains(greased, []byte("grease_7f3a")) {
			t.Fatal("nothing was added")
		}
		got := reflect.New(reflect.TypeOf(r).Elem()).Interface().(Record)
		if err := Decode(greased, got); err != nil {
			t.Errorf("%s: %v", r.SchemaName(), err)
		} else if want := filled(r); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: unknown members changed the record", r.SchemaName())
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"empty", "", `line is empty`},
		{"blank", " \t", `line is empty`},
		{"words", "hello", `not JSON at byte 1`},
		{"cut short", `{"schema":"vi.asr/1","type":`, `not JSON at byte 28`},
		{"two records", `{"schema":"vi.asr/1"}{}`, `not JSON at byte 22`},
		{"array", `[]`, `not a JSON object`},
		{"string", `"vi.asr/1"`, `not a JSON object`},
		{"number", `1`, `not a JSON object`},
		{"null", `null`, `member "schema" is missing`},
		{"no schema", `{"type":"final"}`, `member "schema" is missing`},
		{"schema not a string", `{"schema":1}`, `member "schema" is a JSON number, not a string`},
		{"newer major", `{"schema":"vi.asr/2","reason":"ok"}`, `it is of version 2, this program reads version 1`},
		{"other record", `{"schema":"vi.refine/1","reason":"ok"}`, `it is a vi.refine record`},
		{"foreign schema", `{"schema":"secret text","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"upper case", `{"schema":"vi.ASR/1","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"major with sign", `{"schema":"vi.asr/+1","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"major zero", `{"schema":"vi.asr/0","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"major leading zero", `{"schema":"vi.asr/01","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"no major", `{"schema":"vi.asr","reason":"ok"}`, `member "schema" is not of the form vi.name/1`},
		{"no reason", `{"schema":"vi.asr/1","type":"final"}`, `member "reason" is missing`},
		{"text is a number", `{"schema":"vi.asr/1","reason":"ok","text":7}`, `member "text" is a JSON number, not a string`},
		{"text is an object", `{"schema":"vi.asr/1","reason":"ok","text":{}}`, `member "text" is a JSON object, not a string`},
		{"speech is a string", `{"schema":"vi.asr/1","reason":"ok","speech":"loud"}`, `member "speech" is a JSON string, not an object`},
		{"heard is a number", `{"schema":"vi.asr/1","reason":"ok","speech":{"heard":1}}`, `member "speech.heard" is a JSON number, not a boolean`},
		{"duration is a fraction", `{"schema":"vi.asr/1","reason":"ok","speech":{"audio_ms":1.5}}`, `member "speech.audio_ms" is a JSON number, not an integer in range`},
		{"duration too large", `{"schema":"vi.asr/1","reason":"ok","speech":{"audio_ms":1e99}}`, `member "speech.audio_ms" is a JSON number, not an integer in range`},
		{"invalid UTF-8", "{\"schema\":\"vi.asr/1\",\"reason\":\"ok\",\"text\":\"\xff\"}", `line is not valid UTF-8`},
		{"byte order mark", "\ufeff{}", `not JSON at byte 1`},
		{"deep nesting", strings.Repeat("[", 100000), `not JSON at byte 10001`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Decode([]byte(tt.line), &ASR{})
			var we *Error
			if !errors.As(err, &we) {
				t.Fatalf("got %v (%T), want *Error", err, err)
			}
			if want := "cannot read vi.asr/1 record: " + tt.want; err.Error() != want {
				t.Errorf("got  %q\nwant %q", err, want)
			}
		})
	}
}

func TestEncodeRefusesAnUnknownReason(t *testing.T) {
	if _, err := Encode(&ASR{Header: Header{Reason: "because"}}); err == nil {
		t.Error("a reason outside the closed list was accepted")
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 100)
	type step struct {
		line string
		no   int
		err  error
	}
	tests := []struct {
		name, in string
		want     []step
	}{
		{"empty", "", []step{{"", 0, io.EOF}}},
		{"no line end", "a", []step{{"a", 1, nil}, {"", 1, io.EOF}}},
		{"CRLF and blanks", "a\r\n\n \n b\n", []step{{"a", 1, nil}, {"b", 4, nil}, {"", 4, io.EOF}}},
		{"at the limit", long + "\nb\n", []step{{long, 1, nil}, {"b", 2, nil}}},
		{"over the limit", long + "x\nb\n", []step{{"", 1, ErrLineTooLong}, {"b", 2, nil}, {"", 2, io.EOF}}},
		{"far over the limit", strings.Repeat(long, 3000) + "\nb", []step{{"", 1, ErrLineTooLong}, {"b", 2, nil}, {"", 2, io.EOF}}},
		{"over the limit at the end", long + "x", []step{{"", 1, ErrLineTooLong}, {"", 1, io.EOF}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(strings.NewReader(tt.in))
			r.max = 100
			for i, want := range tt.want {
				line, err := r.Next()
				if string(line) != want.line || !errors.Is(err, want.err) || r.Line() != want.no {
					t.Fatalf("step %d: got %.20q, line %d, %v; want %.20q, line %d, %v", i, line, r.Line(), err, want.line, want.no, want.err)
				}
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range Records() {
		golden, err := os.ReadFile(goldenPath(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(golden)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, r := range Records() {
			err := Decode(line, r)
			var we *Error
			if err != nil && !errors.As(err, &we) {
				t.Fatalf("%T is not *Error: %v", err, err)
			}
			if err != nil || !slices.Contains(Reasons(r.SchemaName()), r.header().Reason) {
				continue
			}
			// What was read can be written, and reads the same again.
			out, err := Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			again := reflect.New(reflect.TypeOf(r).Elem()).Interface().(Record)
			if err := Decode(out, again); err != nil {
				t.Fatal(err)
			}
			out2, err := Encode(again)
			if err != nil || !bytes.Equal(out, out2) {
				t.Fatalf("not stable: %s / %s (%v)", out, out2, err)
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb\n"), 3)
	f.Add([]byte("aaaaaaaaaa\n\r\n\nb"), 4)
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		if max < 1 || max > 1<<10 {
			return
		}
		r := NewReader(bytes.NewReader(in))
		r.max = max
		for range len(in) + 2 {
			line, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil && !errors.Is(err, ErrLineTooLong) {
				t.Fatal(err)
			}
			if len(line) > max || bytes.ContainsRune(line, '\n') {
				t.Fatalf("line of %d bytes, limit %d", len(line), max)
			}
		}
		t.Fatal("no end of the stream")
	})
}
