package redact

import "bytes"

// A look tells how random a string looks, by how often the class of its characters changes inside it. Words, names
// and versions change class rarely and at their joints; random strings change it nearly every second character.
type look struct {
	alnum               int // letters and digits
	upper, lower, digit int
	longest             int // the longest stretch of letters and digits
	words               int // letters in stretches of three or more small ones
	changes             int // changes of class inside a stretch, but not from a capital to the small letter after it
	hex                 bool
	mixed               bool // some stretch of 8 or more has both letters and digits
}

// lookAt looks at a run.
func lookAt(b []byte) look {
	l := look{hex: true}
	var prev byte
	var small, letters, digits int
	for i := 0; i <= len(b); i++ {
		c := byte(0)
		if i < len(b) {
			c = b[i]
		}
		if !isAlnum(c) {
			if letters+digits >= 8 && letters > 0 && digits > 0 {
				l.mixed = true
			}
			l.longest = max(l.longest, letters+digits)
			letters, digits, small, prev = 0, 0, 0, 0
			if i < len(b) {
				l.hex = false
			}
			continue
		}
		l.alnum++
		switch {
		case isDigit(c):
			l.digit++
			digits++
			small = 0
			if prev != 0 && !isDigit(prev) {
				l.changes++
			}
		case isUpper(c):
			l.upper++
			letters++
			small = 0
			if prev != 0 && !isUpper(prev) {
				l.changes++
			}
		default:
			l.lower++
			letters++
			small++
			if small == 3 {
				l.words += 3
			} else if small > 3 {
				l.words++
			}
			if isDigit(prev) {
				l.changes++
			}
		}
		if !isHex(c) {
			l.hex = false
		}
		prev = c
	}
	return l
}

// wordy reports whether the string is made of words, as an identifier is.
func (l look) wordy() bool {
	return l.words*100 > 55*l.alnum || l.words*100 > 40*l.alnum && l.changes*100 < 30*l.alnum
}

// random reports whether the string looks random by itself, with nothing about it that says so. Git's 40-digit
// names stay: they are no secrets, and no words either.
func (l look) random() bool {
	switch {
	case l.hex:
		return l.alnum >= 32 && l.alnum != 40 && l.digit > 0 && l.changes >= 6
	case l.longest < 16 && l.alnum < 36:
		return false
	case l.upper > 0 && l.lower > 0 && l.digit > 0:
		return l.alnum >= 20 && l.changes >= 5 && l.changes*100 >= 20*l.alnum && !l.wordy()
	case l.upper > 0 && l.lower > 0:
		return l.alnum >= 24 && l.changes*100 >= 20*l.alnum && !l.wordy()
	default:
		return l.alnum >= 24 && l.digit >= 2 && l.changes >= 6 && l.changes*100 >= 20*l.alnum
	}
}

// randomValue reports whether the string looks random enough for a value that something names, or that stands near
// a word such as "token".
func (l look) randomValue() bool {
	switch {
	case l.hex:
		return l.alnum >= 16 && l.digit > 0 && l.upper+l.lower > 0
	case l.longest < 8 && l.changes*3 < l.alnum:
		return false
	case l.upper > 0 && l.lower > 0:
		return l.alnum >= 12 && l.changes >= 4 && l.changes*100 >= 18*l.alnum && !l.wordy()
	default:
		return l.alnum >= 12 && l.digit >= 2 && l.changes >= 4 && l.changes*100 >= 20*l.alnum
	}
}

// randomAssigned is the same for what a name of no meaning is given.
func (l look) randomAssigned() bool {
	if l.hex {
		return l.alnum >= 16 && l.digit > 0 && l.upper+l.lower > 0
	}
	return l.alnum >= 14 && l.longest >= 7 && l.changes >= 4 && l.changes*100 >= 18*l.alnum && !l.wordy()
}

// awsSecret reports whether a run is a secret key of AWS: 40 characters of base64, with any number of slashes.
func awsSecret(b []byte) bool {
	l := lookAt(b)
	return len(b) == 40 && l.upper > 0 && l.lower > 0 && l.digit > 0 && l.changes >= 8 && !l.wordy()
}

// isUUID reports whether b is a UUID.
func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

// randoms cuts what looks random in b[i:z]. near says that the line, or one just before it, speaks of a credential.
func (x *scanner) randoms(i, z int, near bool) {
	for i < z {
		if !isRun(x.b[i]) {
			i++
			continue
		}
		end := i
		for end < z && isRun(x.b[end]) {
			end++
		}
		if end-i >= 12 {
			x.randomRun(i, end, near)
		}
		i = end
	}
}

// randomRun cuts a run that looks random, or those of its parts between slashes and dots that do.
func (x *scanner) randomRun(i, end int, near bool) {
	end = runEnd(x.b, i, end)
	for i < end && !isAlnum(x.b[i]) && x.b[i] != '/' && x.b[i] != '+' {
		i++
	}
	if end-i < 12 || x.digest(i) {
		return
	}
	judge, named := look.random, x.assigned(i)
	switch {
	case near:
		judge = look.randomValue
	case named:
		judge = look.randomAssigned
	}
	run := x.b[i:end]
	switch {
	case isUUID(run):
		if near || named {
			x.cut(i, end)
		}
	case !bytes.HasPrefix(run, []byte("//")) && judge(lookAt(run)) || azureSecret(run) || awsSecret(run):
		x.cut(i, end)
	case x.parts(i, end, judge, []byte("/.=")):
		if bytes.IndexByte(run, '/') < 0 { // id.secret
			x.cut(i, end)
		}
	case x.parts(i, end, look.random, []byte("/.=-_%")) && named:
		x.cut(i, end)
	}
}

// parts cuts those of the parts of b[i:end] between separators that look random, and reports whether there are any.
func (x *scanner) parts(i, end int, judge func(look) bool, separators []byte) bool {
	found := false
	for j := i; j <= end; j++ {
		if j < end && bytes.IndexByte(separators, x.b[j]) < 0 {
			continue
		}
		if j-i >= 12 && !isUUID(x.b[i:j]) && judge(lookAt(x.b[i:j])) {
			x.cut(i, j)
			found = true
		}
		i = j + 1
	}
	return found
}

// assigned reports whether a sign before i gives what is at i to a name.
func (x *scanner) assigned(i int) bool {
	if bytes.HasPrefix(x.b[i:], []byte("//")) { // a URL
		return false
	}
	for j := i - 1; j > 0 && i-j <= 8; j-- {
		switch c := x.b[j]; {
		case c == '=' || c == ':' || c == '|' && x.b[j-1] == '|' || c == ',' && isQuote(x.b[j-1]):
			return true
		case !isQuote(c) && c != ' ' && c != '\t' && c != '>':
			return false
		}
	}
	return false
}

// azureSecret reports whether a run is a client secret of Azure, which has "8Q~" after three characters, of which
// dots may be lost here.
func azureSecret(b []byte) bool {
	n := bytes.Index(b[:min(len(b), 6)], []byte("Q~"))
	return n > 0 && isDigit(b[n-1]) && len(b)-n >= 30
}

// digest reports whether what is before i says that a checksum follows, which is no secret.
func (x *scanner) digest(i int) bool {
	for _, name := range []string{"sha256:", "sha512:", "sha1:", "md5:"} {
		if n := i - len(name); n >= 0 && string(x.low[n:i]) == name {
			return true
		}
	}
	return false
}
