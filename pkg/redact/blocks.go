package redact

import "bytes"

// maxBlock bounds how far a key block without its end may reach, in bytes of the folded text.
const maxBlock = 64 << 10

// maxLabel bounds the label between the dashes of a fence.
const maxLabel = 128

// blocks cuts PEM, PGP, SSH2 and PuTTY blocks with their bodies: whole ones, those whose end is missing, and those
// whose beginning is. Escaped line ends are line ends here, so a block in a JSON string is no different.
func (x *scanner) blocks() {
	done := 0 // what is before has been looked at
	for i := 0; i < len(x.low); {
		n := bytes.Index(x.low[i:], []byte("--"))
		if n < 0 {
			break
		}
		i += n
		head := i
		for i < len(x.low) && x.low[i] == '-' {
			i++
		}
		begins, ends := x.fence(head, i)
		switch {
		case begins:
			x.cut(head, x.blockEnd(head, x.fenceEnd(i)))
			i = x.fenceEnd(i)
		case ends && !x.inSpan(head):
			stop := x.fenceEnd(i)
			x.cut(x.blockStart(head, done), stop)
			i = stop
		default:
			continue
		}
		done = i
		if n := len(x.spans); n > 0 && x.spans[n-1].End > i {
			i = x.spans[n-1].End
			done = i
		}
	}
	x.puttyKeys()
}

// fence reports whether the dashes b[head:i] open or close a block. Five of them need no space after the word.
func (x *scanner) fence(head, i int) (begins, ends bool) {
	tight := i-head >= 5
	for i < len(x.low) && x.low[i] == ' ' && i-head < maxLabel {
		i++
	}
	is := func(word string) bool {
		j := i + len(word)
		return j < len(x.low) && string(x.low[i:j]) == word && (x.low[j] == ' ' || tight && isAlnum(x.low[j]))
	}
	return is("begin"), is("end")
}

// fenceEnd returns where the fence whose label begins at i is over: after its closing dashes, at the latest at the
// end of the line.
func (x *scanner) fenceEnd(i int) int {
	line := i + lineLen(x.low[i:min(len(x.low), i+maxLabel)])
	n := bytes.Index(x.low[i:line], []byte("--"))
	if n < 0 {
		return line
	}
	i += n
	for i < line && x.low[i] == '-' {
		i++
	}
	return i
}

// blockEnd returns the end of the block that begins at head and whose fence is over at body.
func (x *scanner) blockEnd(head, body int) int {
	limit := min(len(x.low), body+maxBlock)
	if n := bytes.Index(x.low[body:limit], []byte("--begin")); n >= 0 {
		limit = body + n
	}
	if n := bytes.Index(x.low[body:limit], []byte("--end")); n >= 0 {
		return x.fenceEnd(body + n + 2)
	}
	// No end: as long as the lines look like a body. One blank line may separate the block's headers from it.
	end, blank := body, 0
	for i := body; i < limit; {
		next := i + lineLen(x.b[i:limit])
		switch line := x.b[i:next]; {
		case len(bytes.TrimSpace(line)) == 0:
			if blank++; blank > 2 {
				return end
			}
		case isBody(line) || isBlockHeader(line):
			end, blank = next, 0
		default:
			return end
		}
		i = next + 1
	}
	return end
}

// blockStart returns where the body begins that a closing fence at head ends, not before from.
func (x *scanner) blockStart(head, from int) int {
	start := head
	from = max(from, head-maxBlock)
	for end := lineStart(x.b, head, from); end > from; {
		start0 := lineStart(x.b, end-1, from)
		line := x.b[start0 : end-1]
		if !isBody(line) && !isBlockHeader(line) && len(bytes.TrimSpace(line)) > 0 {
			break
		}
		start, end = start0, start0
	}
	// The rest of a body that is on the line of its end.
	if n := lineStart(x.b, head, from); start == head && isBody(x.b[n:head]) {
		start = n
	}
	return start
}

// isBody reports whether a line can belong to the body of a key block: one run of base64, with at most a few other
// characters about it (quotes, diff and list signs, concatenation).
func isBody(line []byte) bool {
	line = bytes.TrimSpace(line)
	longest, run, other := 0, 0, 0
	for _, c := range line {
		if isBase64(c) {
			run++
			longest = max(longest, run)
		} else {
			run = 0
			other++
		}
	}
	return longest >= 1 && other <= 8 && (longest >= 16 || longest+other == len(line) && other <= 4)
}

// isBlockHeader reports whether a line is a header of an armoured block, such as "Proc-Type: 4,ENCRYPTED".
func isBlockHeader(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>+|\"'")
	for _, name := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "MessageID:", "Subject:", "X-"} {
		if bytes.HasPrefix(line, []byte(name)) {
			return true
		}
	}
	return false
}

// puttyKeys cuts PuTTY key files, which have no fences: from their first line to the one with the MAC.
func (x *scanner) puttyKeys() {
	for i := 0; ; {
		n := bytes.Index(x.low[i:], []byte("putty-user-key-file-"))
		if n < 0 {
			return
		}
		start := i + n
		limit := min(len(x.low), start+maxBlock)
		end := start + lineLen(x.low[start:limit])
		for i = end + 1; i < limit; {
			next := i + lineLen(x.b[i:limit])
			if line := x.b[i:next]; isBody(line) || bytes.Contains(line, []byte(": ")) {
				end = next
			} else {
				break
			}
			i = next + 1
		}
		x.cut(start, end)
		i = end
	}
}

// inSpan reports whether the last span reaches to i.
func (x *scanner) inSpan(i int) bool {
	n := len(x.spans)
	return n > 0 && i < x.spans[n-1].End
}

// lineLen returns the length of the line that b begins with, without its end.
func lineLen(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n
	}
	return len(b)
}

// lineStart returns the start of the line that i is in, not before from.
func lineStart(b []byte, i, from int) int {
	return from + bytes.LastIndexByte(b[from:i], '\n') + 1
}
