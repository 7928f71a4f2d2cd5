package sound

import "strings"

// weights say how much it counts that a sound is missing.
var weights = func() (w [128]float32) {
	for c := range w {
		switch {
		case isVowel(byte(c)):
			w[c] = 0.25
		case c == 'h' || c == 'w' || c == 'y':
			w[c] = 0.4
		case c == 'r':
			w[c] = 0.5
		default:
			w[c] = 1
		}
	}
	return w
}()

// costs say how much it counts that one sound is heard as another: little for
// consonants that are taken for one another when a word is said in another
// language.
var costs = func() (m [128][128]float32) {
	for a := range m {
		for b := range m {
			switch {
			case a == b:
			case isVowel(byte(a)) && isVowel(byte(b)):
				m[a][b] = 0.15
			default:
				m[a][b] = 2 * max(weights[a], weights[b])
			}
		}
	}
	for pairs, cost := range map[string]float32{
		"bp dt gk sz fv jC sS zj wv": 0.1,
		"CS jS jz Cs sj zS Ck":       0.35,
		"gj":                         0.25, // Chinese has no gi and ge
		"lr ln fw vb pf hk hg rw":    0.5,
		"nm dj tC sd zd":             0.6,
		"Td Tt Ts Tz":                0.25,
		"TS TC Tf":                   0.4,
	} {
		for _, p := range strings.Fields(pairs) {
			m[p[0]][p[1]], m[p[1]][p[0]] = cost, cost
		}
	}
	return m
}()

// Likeness returns how much alike two spellings sound, from 0 to 1. It is
// bounded: only the first 96 bytes of each count.
func Likeness(a, b string) float32 {
	return max(likeness(phones(a, false), phones(b, false)), likeness(phones(a, true), phones(b, true)))
}

func likeness(x, y string) float32 {
	total := max(sum(x), sum(y))
	if total == 0 {
		return 0
	}
	return max(0, 1-distance(x, y, total)/total)
}

func sum(s string) (n float32) {
	for i := range len(s) {
		n += weights[s[i]]
	}
	return n
}

// distance is the least cost of turning x into y, or limit if it is more.
func distance(x, y string, limit float32) float32 {
	if len(y) > maxPhones {
		y = y[:maxPhones]
	}
	var row [maxPhones + 1]float32
	for j := range len(y) {
		row[j+1] = row[j] + weights[y[j]]
	}
	for i := range len(x) {
		diagonal := row[0]
		w, c := weights[x[i]], &costs[x[i]]
		row[0] += w
		least := row[0]
		for j := range len(y) {
			best := min(diagonal+c[y[j]], row[j+1]+w, row[j]+weights[y[j]])
			diagonal, row[j+1] = row[j+1], best
			least = min(least, best)
		}
		if least >= limit {
			return limit
		}
	}
	return min(limit, row[len(y)])
}

// Resembles tells whether a name, written, may be what was heard. Short names
// must sound almost the same. Figures must be the same.
func Resembles(heard, written string) bool {
	return resembles(phones(heard, false), phones(written, false)) || resembles(phones(heard, true), phones(written, true))
}

func resembles(x, y string) bool {
	total := max(sum(x), sum(y))
	if figures(x) != figures(y) || total == 0 {
		return false
	}
	limit := (1 - need(sum(y))) * total
	return distance(x, y, limit) < limit
}

// need is how alike a name must sound whose sounds weigh total.
func need(total float32) float32 {
	switch {
	case total < 2:
		return 0.8
	case total < 3:
		return 0.72
	}
	return 0.65
}

func figures(phones string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, phones)
}

// Homophones tells whether two English words are said alike: the same
// consonants, and vowels that are near each other.
func Homophones(a, b string) bool {
	apart := strings.NewReplacer("'", "", "’", "")
	x, y := phones(apart.Replace(a), false), phones(apart.Replace(b), false)
	if len(x) != len(y) || x == "" {
		return false
	}
	for i := range len(x) {
		if x[i] != y[i] && !near(x[i], y[i]) {
			return false
		}
	}
	return true
}

// near tells whether two sounds are easily taken for each other within one
// language.
func near(a, b byte) bool {
	switch string([]byte{min(a, b), max(a, b)}) {
	case "AE", "EI", "OU", "sz":
		return true
	}
	return false
}

// Names are names that something heard may stand for.
type Names struct{ list []name }

type name struct {
	text   string
	phones [2]string // as a word and letter by letter
	total  [2]float32
}

// NewNames prepares names for being looked for.
func NewNames(list []string) *Names {
	n := &Names{}
	for _, s := range list {
		m := name{text: s, phones: [2]string{phones(s, false), phones(s, true)}}
		m.total = [2]float32{sum(m.phones[0]), sum(m.phones[1])}
		n.list = append(n.list, m)
	}
	return n
}

// Heard tells whether text, which is not one of the names, Resembles one.
func (n *Names) Heard(text string) bool {
	if len(n.list) == 0 {
		return false
	}
	x := [2]string{phones(text, false), phones(text, true)}
	total := [2]float32{sum(x[0]), sum(x[1])}
	found := false
	for _, m := range n.list {
		if m.text == text {
			return false
		}
		for way := range x {
			same := way > 0 && x[1] == x[0] && m.phones[1] == m.phones[0]
			// What is much longer or shorter need not be compared.
			if found || same || min(total[way], m.total[way]) < 0.6*max(total[way], m.total[way]) {
				continue
			}
			found = resembles(x[way], m.phones[way])
		}
	}
	return found
}
