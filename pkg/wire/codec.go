package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxLine is the longest line, in bytes and without its LF, that a reader
// accepts. The largest record is vi.session/1, whose source is cut to 12,000
// characters; 16 MiB leaves room for foreign producers.
const MaxLine = 16 << 20

// Header stands at the start of every record.
type Header struct {
	// Schema is "vi.<name>/<major>". Encode sets it.
	Schema string `json:"schema"`
	// Reason is "ok", or one word of the schema's closed list (see Reasons)
	// that says why there is nothing. Encode turns "" into "ok".
	Reason string `json:"reason"`
}

func (h *Header) header() *Header { return h }

// Record is implemented by pointers to the record types of this package.
type Record interface {
	header() *Header
	// SchemaName returns "vi.<name>/<major>" as this package writes it.
	SchemaName() string
}

// Error says why a line is not the record that was wanted. Its text never
// holds a value from the line, which may be private.
type Error struct {
	Want   string // schema that was wanted
	Detail string // what is wrong with the line
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot read %s record: %s", e.Want, e.Detail)
}

// ErrLineTooLong is returned by Reader.Next for a line of more than MaxLine
// bytes. The rest of that line has been skipped.
var ErrLineTooLong = errors.New("line is longer than 16 MiB")

// Encode returns r as one line with its LF. It fails only for a reason that
// is not in the schema's list, which is a fault of the caller.
func Encode(r Record) ([]byte, error) {
	h := r.header()
	h.Schema = r.SchemaName()
	if h.Reason == "" {
		h.Reason = OK
	}
	if !slices.Contains(Reasons(h.Schema), h.Reason) {
		return nil, fmt.Errorf("%s has no reason %q", h.Schema, h.Reason)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Write encodes r and writes it to w in a single call.
func Write(w io.Writer, r Record) error {
	b, err := Encode(r)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Indent returns the line with white space added for a person. Nothing but
// white space differs.
func Indent(line []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(line), "", "  ") != nil {
		return line
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Schema returns the value of the line's "schema" member. The error is an
// *Error.
func Schema(line []byte) (string, error) {
	var h Header
	if err := unmarshal(line, &h, "vi"); err != nil {
		return "", err
	}
	return h.Schema, nil
}

// Decode reads one line into r. The error is an *Error.
func Decode(line []byte, r Record) error {
	want := r.SchemaName()
	got, err := Schema(line)
	if err != nil {
		err.(*Error).Want = want
		return err
	}
	if got != want {
		return &Error{want, mismatch(got, want)}
	}
	if err := unmarshal(line, r, want); err != nil {
		return err
	}
	if r.header().Reason == "" {
		return &Error{want, `member "reason" is missing`}
	}
	return nil
}

func unmarshal(line []byte, v any, want string) error {
	if !utf8.Valid(line) {
		return &Error{want, "line is not valid UTF-8"}
	}
	err := json.Unmarshal(line, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(line)) == 0:
		return &Error{want, "line is empty"}
	case errors.As(err, &syntax):
		return &Error{want, fmt.Sprintf("not JSON at byte %d", syntax.Offset)}
	case errors.As(err, &kind) && kind.Field == "":
		return &Error{want, "not a JSON object"}
	case errors.As(err, &kind):
		// kind.Value may carry the offending number; only its class is told.
		class, _, _ := strings.Cut(kind.Value, " ")
		return &Error{want, fmt.Sprintf("member %q is a JSON %s, not %s", kind.Field, class, goKind(kind))}
	default:
		return &Error{want, "not JSON"}
	}
}

func goKind(e *json.UnmarshalTypeError) string {
	switch k := e.Type.Kind().String(); {
	case strings.HasPrefix(k, "int"), strings.HasPrefix(k, "uint"):
		return "an integer in range"
	case strings.HasPrefix(k, "float"):
		return "a number"
	case k == "bool":
		return "a boolean"
	case k == "slice":
		return "an array"
	case k == "string":
		return "a string"
	default:
		return "an object"
	}
}

func mismatch(got, want string) string {
	name, major, ok := splitSchema(got)
	wantName, wantMajor, _ := splitSchema(want)
	switch {
	case got == "":
		return `member "schema" is missing`
	case !ok:
		return `member "schema" is not of the form vi.name/1`
	case name == wantName:
		return fmt.Sprintf("it is of version %d, this program reads version %d", major, wantMajor)
	default:
		return fmt.Sprintf("it is a vi.%s record", name)
	}
}

// splitSchema parses "vi.<name>/<major>" with a name of lower-case letters
// and dashes, so that what it returns is safe to print.
func splitSchema(s string) (name string, major int, ok bool) {
	rest, ok := strings.CutPrefix(s, "vi.")
	name, num, found := strings.Cut(rest, "/")
	if !ok || !found || name == "" || len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return "", 0, false
	}
	major, err := strconv.Atoi(num)
	if err != nil || major < 1 || strconv.Itoa(major) != num {
		return "", 0, false
	}
	return name, major, true
}
