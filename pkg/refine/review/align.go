package review

import "iter"

// maxTokens bounds a text. It takes memory in proportion to its square, 32 MiB
// at the limit; half an hour of speech is less.
const maxTokens = 1 << 14

// A hunk is a place where two texts differ: tokens from a.from up to a.to of
// the first stand where those of b stand in the second.
type hunk struct{ a, b rangeOf }

type rangeOf struct{ from, to int }

func (r rangeOf) len() int { return r.to - r.from }

// hunks returns where b differs from a, in order. What is equal is as much as
// can be, and of several ways to have it the one that takes the latest: a
// speaker who begins twice means the second.
//
// The longest common subsequence is found with one bit for each pair of
// tokens, 64 at a time (Hyyrö, "Bit-parallel LCS-length computation
// revisited", 2004): a row of V has a 0 where the length grows.
func hunks(a, b []token) []hunk {
	n, m := len(a), len(b)
	words := (m + 63) / 64
	at := map[string][]uint64{} // where a key stands in b
	for j, t := range b {
		bits := at[t.key]
		if bits == nil {
			bits = make([]uint64, words)
			at[t.key] = bits
		}
		bits[j/64] |= 1 << (j % 64)
	}
	rows := make([]uint64, (n+1)*words)
	for w := range words {
		rows[w] = ^uint64(0)
	}
	for i := range n {
		old, row := rows[i*words:(i+1)*words], rows[(i+1)*words:(i+2)*words]
		bits := at[a[i].key]
		if bits == nil {
			copy(row, old)
			continue
		}
		var carry uint64
		for w, v := range old {
			u := v & bits[w]
			sum := v + u
			over := sum < v
			sum += carry
			if over || sum < carry {
				carry = 1
			} else {
				carry = 0
			}
			row[w] = sum | v&^bits[w]
		}
	}
	return walk(a, b, func(i, j int) bool {
		return rows[i*words+(j-1)/64]>>((j-1)%64)&1 == 0
	})
}

// walk goes back from the ends of both texts. grows tells whether the longest
// common subsequence of a[:i] and b[:j] is longer than that of a[:i] and
// b[:j-1].
func walk(a, b []token, grows func(i, j int) bool) []hunk {
	var out []hunk
	i, j := len(a), len(b)
	endA, endB := i, j
	flush := func() {
		if i < endA || j < endB {
			out = append(out, hunk{rangeOf{i, endA}, rangeOf{j, endB}})
		}
	}
	for i > 0 && j > 0 {
		switch {
		case a[i-1].key == b[j-1].key:
			flush()
			i, j = i-1, j-1
			endA, endB = i, j
		case grows(i, j):
			i--
		default:
			j--
		}
	}
	i, j = 0, 0
	flush()
	for l, r := 0, len(out)-1; l < r; l, r = l+1, r-1 {
		out[l], out[r] = out[r], out[l]
	}
	return out
}

// common goes through the tokens that both texts have: their places in a and b.
func (e *editor) common() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		i, j := 0, 0
		for k := range len(e.hunks) + 1 {
			next := hunk{rangeOf{len(e.a), len(e.a)}, rangeOf{len(e.b), len(e.b)}}
			if k < len(e.hunks) {
				next = e.hunks[k]
			}
			for ; i < next.a.from; i, j = i+1, j+1 {
				if !yield(i, j) {
					return
				}
			}
			i, j = next.a.to, next.b.to
		}
	}
}
