package fakecloud

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form is a body of parts.
type form struct {
	fields map[string][]string
	file   []byte
	name   string // of the file
}

// get is the first value of a field.
func (f form) get(name string) string {
	if len(f.fields[name]) == 0 {
		return ""
	}
	return f.fields[name][0]
}

// field says what values a field may have; a name that ends in [] may come
// more than once.
type field func(value string) bool

// form reads the parts, all of which must be among fields, and the file with
// its name and type. False if the body is no form at all.
func (x *exchange) form(fields map[string]field) (form, bool) {
	f := form{fields: map[string][]string{}}
	if x.r.Method != http.MethodPost {
		x.s.violate(WrongValue, "method", x.r.Method)
	}
	kind, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		x.s.violate(BadForm, "Content-Type", kind)
		return f, false
	}
	parts := multipart.NewReader(bytes.NewReader(x.body), params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return f, true
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(part)
		}
		if err != nil {
			x.s.violate(BadForm, "", err.Error())
			return f, false
		}
		x.part(&f, fields, part, data)
	}
}

func (x *exchange) part(f *form, fields map[string]field, part *multipart.Part, data []byte) {
	name := part.FormName()
	m := Message{From: "client", Kind: "part", Bytes: len(data), Name: name, File: part.FileName(), Type: part.Header.Get("Content-Type")}
	if name == "file" {
		x.s.note(m)
		x.filePart(f, m, data)
		return
	}
	m.Text = shortened(data)
	x.s.note(m)
	check, known := fields[name]
	if group, _, grouped := strings.Cut(name, "."); grouped && !known {
		check, known = fields[group+".*"]
	}
	value := string(data)
	switch {
	case !known:
		x.s.violate(UnknownField, name, "")
	case !utf8.ValidString(value):
		x.s.violate(WrongKind, name, "not UTF-8")
	case len(f.fields[name]) > 0 && !strings.HasSuffix(name, "[]"):
		x.s.violate(DuplicateField, name, "")
	case m.File != "":
		x.s.violate(WrongKind, name, "a file")
	case !check(value):
		x.s.violate(WrongValue, name, fmt.Sprintf("%.80q", value))
	}
	f.fields[name] = append(f.fields[name], value)
}

// The endings and types that a file may have.
var (
	endings    = strings.Fields(".flac .mp3 .mp4 .mpeg .mpga .m4a .ogg .wav .webm")
	soundTypes = strings.Fields("audio/wav audio/x-wav audio/wave audio/vnd.wave audio/flac audio/mpeg audio/mp4 audio/ogg audio/webm")
)

func (x *exchange) filePart(f *form, m Message, data []byte) {
	switch {
	case f.file != nil:
		x.s.violate(DuplicateField, "file", "")
	case !slices.Contains(endings, path.Ext(m.File)):
		x.s.violate(WrongValue, "file.filename", m.File)
	case !slices.Contains(soundTypes, m.Type):
		x.s.violate(WrongValue, "file.type", m.Type)
	}
	f.file, f.name = append([]byte{}, data...), m.File
}

// What values fields may have.

func anyText(s string) bool { return s != "" }

func oneOf(values ...string) field { return func(s string) bool { return slices.Contains(values, s) } }

func within(low, high float64) field {
	return func(s string) bool {
		n, err := strconv.ParseFloat(s, 64)
		return err == nil && n >= low && n <= high
	}
}

func wholeNumber(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err == nil }

var aFlag = oneOf("true", "false")

// aLanguage is an ISO-639-1 code.
func aLanguage(s string) bool {
	return len(s) == 2 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}
