package vocabulary

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"voice-input/pkg/redact"
	"voice-input/pkg/wire"
)

// Limits of a file. The recognisers take some hundred words at most.
const (
	MaxFile         = 1 << 20 // bytes
	MaxWords        = 1000
	MaxReplacements = 1000
	MaxText         = 100  // characters of a word or of what is replaced
	MaxTo           = 1000 // characters of what replaces it
	MaxWeight       = 100
)

// List is what a file says, or several together.
type List struct {
	Words        []wire.Vocabulary
	Replacements []wire.Replacement
}

// Empty tells whether there is nothing in the list.
func (l List) Empty() bool { return len(l.Words) == 0 && len(l.Replacements) == 0 }

// With returns the list with another added, which wins where both have the
// same word or replace the same.
func (l List) With(other List) List {
	for _, w := range other.Words {
		l.Words = replaceOrAppend(l.Words, w, func(v wire.Vocabulary) string { return foldText(v.Text) })
	}
	for _, r := range other.Replacements {
		l.Replacements = replaceOrAppend(l.Replacements, r, func(v wire.Replacement) string { return foldText(v.From) })
	}
	return l
}

func replaceOrAppend[T any](list []T, v T, key func(T) string) []T {
	list = slices.Clone(list)
	if i := slices.IndexFunc(list, func(old T) bool { return key(old) == key(v) }); i >= 0 {
		list[i] = v
		return list
	}
	return append(list, v)
}

// Problem is one thing that is wrong with a file. It holds no word of it.
type Problem struct {
	Line   int
	Key    string // such as words or replacements.from; "" for the syntax
	Reason string
}

func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%d: %s", p.Line, p.Reason)
	}
	return fmt.Sprintf("%d: %s: %s", p.Line, p.Key, p.Reason)
}

// Parse reads a file. What is right is returned beside everything that is
// wrong; of a file that is no TOML there is nothing right.
func Parse(data []byte) (List, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// The decoder knows more faults of the syntax than the parser below it.
	if err := toml.Unmarshal(data, new(map[string]any)); err != nil {
		return List{}, []Problem{syntax(err)}
	}
	p := parser{seen: map[string]int{}}
	p.Reset(data)
	for p.NextExpression() {
		p.expression(p.Expression())
	}
	p.close()
	p.check()
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	return p.list, p.problems
}

func syntax(err error) Problem {
	var de *toml.DecodeError
	if !errors.As(err, &de) {
		return Problem{1, "", "not a TOML file"}
	}
	line, _ := de.Position()
	// The library quotes the character that it stumbled on.
	reason, _, _ := strings.Cut(strings.TrimPrefix(de.Error(), "toml: "), ": ")
	if strings.ContainsFunc(reason, unicode.IsControl) || strings.ContainsAny(reason, "\"'`") {
		reason = "not TOML"
	}
	return Problem{line, "", reason}
}

// parser goes through the expressions of a file that is known to be TOML.
type parser struct {
	unstable.Parser
	list     List
	problems []Problem
	seen     map[string]int // "word x" or "replacement x" and its line
	lines    []int          // of the replacements

	section string // the heading that is in force
	open    bool   // a [[replacements]] is being read
	at      int    // its line
	fields  map[string]string
}

func (p *parser) problem(line int, key, format string, args ...any) {
	p.problems = append(p.problems, Problem{line, key, fmt.Sprintf(format, args...)})
}

// name returns a key with its dots and its line.
func (p *parser) name(n *unstable.Node) (string, int) {
	var parts []string
	line := 0
	for it := n.Key(); it.Next(); {
		if line == 0 {
			line = p.line(it.Node())
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), line
}

func (p *parser) line(n *unstable.Node) int { return p.Shape(n.Raw).Start.Line }

func (p *parser) expression(n *unstable.Node) {
	name, line := p.name(n)
	switch {
	case n.Kind == unstable.ArrayTable || n.Kind == unstable.Table:
		p.close()
		p.section = name
		switch {
		case name != "replacements":
			p.problem(line, "", "unknown section; there is [[replacements]]")
		case n.Kind == unstable.Table:
			p.problem(line, "", "write it as [[replacements]]")
		default:
			p.open, p.at, p.fields = true, line, map[string]string{}
		}
	case n.Kind != unstable.KeyValue:
	case p.open:
		p.field(name, line, n.Value())
	case p.section != "":
		// Reported at its heading.
	case name == "words":
		p.words(n.Value(), line)
	case name == "replacements":
		p.replacements(n.Value(), line)
	default:
		p.problem(line, "", "unknown key; there are words and replacements")
	}
}

func (p *parser) words(value *unstable.Node, line int) {
	if value.Kind != unstable.Array {
		p.problem(line, "words", "needs an array")
		return
	}
	for it := value.Children(); it.Next(); {
		n := it.Node()
		switch n.Kind {
		case unstable.Comment:
		case unstable.String:
			p.word(p.lineOf(n, &line), wire.Vocabulary{Text: string(n.Data)})
		case unstable.InlineTable:
			p.weighted(n, &line)
		default:
			p.problem(p.lineOf(n, &line), "words", "needs strings or {text, weight}")
		}
	}
}

// lineOf returns the line of a value; the parser gives none for some kinds,
// which then stand where the one before them stood.
func (p *parser) lineOf(n *unstable.Node, last *int) int {
	if n.Raw.Length > 0 {
		*last = p.line(n)
	}
	return *last
}

func (p *parser) weighted(n *unstable.Node, line *int) {
	w := wire.Vocabulary{}
	ok := true
	for it := n.Children(); it.Next(); {
		kv := it.Node()
		if kv.Kind != unstable.KeyValue {
			continue
		}
		name, at := p.name(kv)
		*line = at
		value := kv.Value()
		switch {
		case name == "text" && value.Kind == unstable.String:
			w.Text = string(value.Data)
		case name == "weight" && (value.Kind == unstable.Integer || value.Kind == unstable.Float):
			var v struct{ Weight float64 }
			err := toml.Unmarshal(append([]byte("weight = "), value.Data...), &v)
			if err != nil || !(v.Weight > 0 && v.Weight <= MaxWeight) {
				p.problem(at, "words.weight", "needs a number above 0 and up to %d", MaxWeight)
				ok = false
			}
			w.Weight = v.Weight
		case name == "text":
			p.problem(at, "words.text", "needs a string")
			ok = false
		case name == "weight":
			p.problem(at, "words.weight", "needs a number")
			ok = false
		default:
			p.problem(at, "words", "unknown key; there are text and weight")
			ok = false
		}
	}
	if ok {
		p.word(*line, w)
	}
}

func (p *parser) word(line int, w wire.Vocabulary) {
	w.Text = strings.TrimSpace(w.Text)
	if why := wrongText(w.Text, MaxText); why != "" {
		p.problem(line, "words", "%s", why)
		return
	}
	key := "word " + foldText(w.Text)
	if first, twice := p.seen[key]; twice {
		p.problem(line, "words", "the word stands in line %d already", first)
		return
	}
	if len(p.list.Words) == MaxWords {
		p.problem(line, "words", "there are more than %d", MaxWords)
		return
	}
	p.seen[key] = line
	p.list.Words = append(p.list.Words, w)
}

// replacements reads the inline form: replacements = [{from = …, to = …}].
func (p *parser) replacements(value *unstable.Node, line int) {
	if value.Kind != unstable.Array {
		p.problem(line, "replacements", "needs an array")
		return
	}
	for it := value.Children(); it.Next(); {
		n := it.Node()
		if n.Kind == unstable.Comment {
			continue
		}
		if n.Kind != unstable.InlineTable {
			p.problem(p.lineOf(n, &line), "replacements", "needs {from, to}")
			continue
		}
		p.open, p.at, p.fields = true, line, map[string]string{}
		for kvs := n.Children(); kvs.Next(); {
			if kv := kvs.Node(); kv.Kind == unstable.KeyValue {
				name, at := p.name(kv)
				p.at, line = at, at
				p.field(name, at, kv.Value())
			}
		}
		p.close()
	}
}

func (p *parser) field(name string, line int, value *unstable.Node) {
	switch {
	case name != "from" && name != "to":
		p.problem(line, "replacements", "unknown key; there are from and to")
	case value.Kind != unstable.String:
		p.problem(line, "replacements."+name, "needs a string")
		p.fields["wrong"] = ""
	default:
		p.fields[name] = string(value.Data)
	}
}

// close ends the replacement that is being read.
func (p *parser) close() {
	if !p.open {
		return
	}
	p.open = false
	if _, wrong := p.fields["wrong"]; wrong {
		return
	}
	from, ok := p.fields["from"]
	to, both := p.fields["to"]
	if !ok || !both {
		p.problem(p.at, "replacements", "needs from and to")
		return
	}
	r := wire.Replacement{From: strings.TrimSpace(from), To: strings.TrimSpace(to)}
	if why := wrongText(r.From, MaxText); why != "" {
		p.problem(p.at, "replacements.from", "%s", why)
		return
	}
	if why := wrongText(r.To, MaxTo); why != "" && r.To != "" {
		p.problem(p.at, "replacements.to", "%s", why)
		return
	}
	key := "replacement " + foldText(r.From)
	if first, twice := p.seen[key]; twice {
		p.problem(p.at, "replacements.from", "it is replaced in line %d already", first)
		return
	}
	if len(p.list.Replacements) == MaxReplacements {
		p.problem(p.at, "replacements", "there are more than %d", MaxReplacements)
		return
	}
	p.seen[key] = p.at
	p.list.Replacements = append(p.list.Replacements, r)
	p.lines = append(p.lines, p.at)
}

// check reports replacements that go round in a circle and drops them.
func (p *parser) check() {
	replacer := NewReplacer(p.list.Replacements)
	var kept []wire.Replacement
	for i, r := range p.list.Replacements {
		if replacer.endless(r.From) {
			p.problem(p.lines[i], "replacements", "the replacements go round in a circle from here")
			continue
		}
		kept = append(kept, r)
	}
	p.list.Replacements = kept
}

// wrongText returns why a text cannot be a word, or "".
func wrongText(s string, max int) string {
	switch {
	case s == "":
		return "is empty"
	case utf8.RuneCountInString(s) > max:
		return fmt.Sprintf("is longer than %d characters", max)
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 }):
		return "holds a line break or another control character"
	case strings.Contains(s, redact.Marker), redact.Text(s).Count > 0:
		return "has the shape of a secret"
	}
	return ""
}
