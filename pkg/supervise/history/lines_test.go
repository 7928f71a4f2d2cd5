package history

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"voice-input/pkg/wire"
)

// noon is the time of the tests.
var noon = time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)

func entry(id string, at time.Time) string {
	return encode(&wire.History{ID: id, At: at.Format(time.RFC3339), Text: "text of " + id})
}

func delivery(id string, at time.Time) string {
	return encode(&wire.History{ID: id, At: at.Format(time.RFC3339), Delivery: &wire.HistoryDelivery{Delivered: true, Reason: "ok"}})
}

func encode(h *wire.History) string {
	b, err := wire.Encode(h)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func mustScan(t *testing.T, file string) []line {
	t.Helper()
	lines, err := scan(strings.NewReader(file), 0, noon)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// brief returns lines as a word each: an entry's id, "id!" for its delivery,
// "?2" for two lines that cannot be read.
func brief(lines []line) string {
	var words []string
	for _, l := range lines {
		switch {
		case l.record == nil:
			words = append(words, fmt.Sprintf("?%d", l.bad))
		case l.isDelivery():
			words = append(words, l.record.ID+"!")
		default:
			words = append(words, l.record.ID)
		}
	}
	return strings.Join(words, " ")
}

func TestScan(t *testing.T) {
	a, b := entry("a", noon), entry("b", noon)
	torn := b[:len(b)/2]
	tests := []struct{ name, file, want string }{
		{"empty", "", ""},
		{"blank lines", "\n \n\t\n", ""},
		{"two", a + b, "a b"},
		{"the last without its end", a + strings.TrimSuffix(b, "\n"), "a b"},
		{"delivery", a + delivery("a", noon), "a a!"},
		{"torn at the end", a + torn, "a ?1"},
		{"torn and glued", torn + a + b, "?1 b"},
		{"a run of bad lines", a + "x\ny\n\nz\n" + b, "a ?3 b"},
		{"NUL bytes", a + "\x00\x00\x00\n" + b, "a ?1 b"},
		{"invalid UTF-8", "{\"schema\":\"vi.history/1\",\"reason\":\"ok\",\"id\":\"\xff\"}\n" + a, "?1 a"},
		{"of a later version", strings.Replace(a, "history/1", "history/2", 1) + b, "?1 b"},
		{"another record", `{"schema":"vi.refine/1","reason":"ok","text":"x"}` + "\n" + a, "?1 a"},
		{"a later member", strings.Replace(a, `"id"`, `"new":[1],"id"`, 1), "a"},
		{"no id", strings.Replace(a, `"a"`, `""`, 1), "?1"},
		{"id with a space", strings.Replace(a, `"a"`, `"a b"`, 1), "?1"},
		{"id that steers a terminal", strings.Replace(a, `"a"`, `"\u001b[2J"`, 1), "?1"},
		{"id that is long", strings.Replace(a, `"a"`, `"`+strings.Repeat("a", 65)+`"`, 1), "?1"},
		{"no time", strings.Replace(a, noon.Format(time.RFC3339), "noon", 1), "?1"},
		{"neither text nor delivery", strings.Replace(a, `"text"`, `"txet"`, 1), "?1"},
		{"too long", a + strings.Repeat("x", wire.MaxLine+1) + "\n" + b, "a ?1 b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := mustScan(t, tt.file)
			if got := brief(lines); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for _, l := range lines {
				if l.record != nil && parse([]byte(tt.file[l.from:l.to])) == nil {
					t.Errorf("bytes %d to %d are not the line", l.from, l.to)
				}
			}
		})
	}
}

func TestKeep(t *testing.T) {
	ago := func(hours int) time.Time { return noon.Add(-time.Duration(hours) * time.Hour) }
	day := Limits{Age: 24 * time.Hour}
	tests := []struct {
		name   string
		limits Limits
		file   string
		want   string
	}{
		{"no limits", Limits{}, entry("a", ago(9999)) + entry("b", ago(1)), "a b"},
		{"count", Limits{Count: 2}, entry("a", ago(3)) + entry("b", ago(2)) + entry("c", ago(1)), "b c"},
		{"count one", Limits{Count: 1}, entry("a", ago(3)) + entry("b", ago(2)) + delivery("b", ago(2)), "b b!"},
		{"deliveries do not count", Limits{Count: 2}, entry("a", ago(3)) + delivery("a", ago(3)) + entry("b", ago(2)) + delivery("b", ago(2)), "a a! b b!"},
		{"a delivery goes with its entry", Limits{Count: 1}, entry("a", ago(3)) + delivery("a", ago(3)) + entry("b", ago(2)), "b"},
		{"a delivery that comes late", Limits{Count: 1}, entry("a", ago(3)) + entry("b", ago(2)) + delivery("a", ago(1)), "b"},
		{"a delivery without its entry", Limits{}, delivery("x", ago(1)) + entry("a", ago(1)), "a"},
		{"a delivery before its entry", Limits{}, delivery("a", ago(2)) + entry("a", ago(1)), "a"},
		{"delivered again", Limits{}, entry("a", ago(3)) + delivery("a", ago(3)) + delivery("a", ago(1)), "a a!"},
		{"a take that was recognised again", Limits{}, entry("a", ago(3)) + delivery("a", ago(3)) + entry("b", ago(2)) + entry("a", ago(1)), "b a"},
		{"age", day, entry("a", ago(25)) + entry("b", ago(24)) + entry("c", ago(1)), "b c"},
		{"age and count", Limits{Count: 1, Age: 24 * time.Hour}, entry("a", ago(25)) + entry("b", ago(2)) + entry("c", ago(1)), "c"},
		{"all are old", day, entry("a", ago(26)) + entry("b", ago(25)), ""},
		// The clock.
		{"ahead of the clock", day, entry("a", ago(25)) + entry("b", noon.Add(9999*time.Hour)) + entry("c", ago(25)) + entry("d", ago(1)), "b d"},
		{"the clock was lost", day, entry("a", ago(2)) + entry("b", time.Unix(0, 0)) + entry("c", ago(1)), "a b c"},
		{"the clock was lost before", day, entry("a", time.Unix(0, 0)) + entry("b", ago(1)), "b"},
		// Lines that cannot be read.
		{"bad lines do not count", Limits{Count: 1}, "x\n" + entry("a", ago(2)) + "y\n" + entry("b", ago(1)) + "z\n", "?1 ?1 b ?1"},
		{"a bad line is as old as the one before it", day, entry("a", ago(25)) + "x\n" + entry("b", ago(1)) + "y\n", "b ?1"},
		{"the first is as old as the next", day, "x\n" + entry("a", ago(25)) + entry("b", ago(1)), "b"},
		{"nothing but bad lines", day, "x\ny\n", "?2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept := keep(mustScan(t, tt.file), tt.limits, noon)
			if got := brief(kept); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if again := brief(keep(kept, tt.limits, noon)); again != tt.want {
				t.Errorf("a second time %q", again)
			}
		})
	}
}

// Whatever the limits are, the file is bounded.
func TestKeepBoundsTheSize(t *testing.T) {
	const each = maxFile / 4
	var lines []line
	for i := range int64(9) {
		lines = append(lines, line{from: i * each, to: (i + 1) * each, record: &wire.History{ID: fmt.Sprint(i), Text: "x"}})
	}
	if got, want := brief(keep(lines, Limits{Count: math.MaxInt}, noon)), "5 6 7 8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMerge(t *testing.T) {
	entries, bad := merge(mustScan(t, entry("a", noon)+"x\ny\n"+entry("b", noon)+delivery("a", noon)+"z"))
	if len(entries) != 2 || bad != 3 || entries[0].ID != "a" || entries[0].Delivery == nil || !entries[0].Delivery.Delivered || entries[1].Delivery != nil {
		t.Errorf("%v, %d bad", entries, bad)
	}
}

// FuzzScan checks that the lines cover the file in order, that what is kept is
// read again as it was, and that nothing is counted twice.
func FuzzScan(f *testing.F) {
	golden, err := os.ReadFile("../../wire/testdata/v1/history.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add([]byte(entry("a", noon) + delivery("a", noon) + "x\n\n" + entry("b", noon)[:20]))
	f.Add([]byte(entry("a", noon.Add(-48*time.Hour)) + entry("a", noon)))
	f.Fuzz(func(t *testing.T, file []byte) {
		lines, err := scan(bytes.NewReader(file), 0, noon)
		if err != nil {
			t.Fatal(err)
		}
		var at int64
		for _, l := range lines {
			if l.from < at || l.to <= l.from || l.to > int64(len(file)) || (l.record == nil) != (l.bad > 0) {
				t.Fatalf("line %+v behind %d of %d", l, at, len(file))
			}
			at = l.to
		}
		kept := keep(lines, Limits{Count: 2, Age: time.Hour}, noon)
		var again []byte
		for _, l := range kept {
			again = append(again, file[l.from:l.to]...)
		}
		reread, err := scan(bytes.NewReader(again), 0, noon)
		if err != nil {
			t.Fatal(err)
		}
		// Runs that stood apart may have become one.
		before, beforeBad := records(kept)
		after, afterBad := records(reread)
		if before != after || beforeBad != afterBad {
			t.Fatalf("kept %q and %d, read again %q and %d", before, beforeBad, after, afterBad)
		}
		entries, _ := merge(kept)
		if len(entries) > 2 {
			t.Fatalf("%d entries", len(entries))
		}
	})
}

// records returns what can be read in brief, and how many lines cannot.
func records(lines []line) (readable string, bad int) {
	var good []line
	for _, l := range lines {
		if bad += l.bad; l.record != nil {
			good = append(good, l)
		}
	}
	return brief(good), bad
}
