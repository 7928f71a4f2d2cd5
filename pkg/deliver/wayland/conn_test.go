package wayland

import (
	"os"
	"syscall"
	"testing"
)

func TestEncode(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, fds := encode(7, 3, uint32(9), "abc", "abcd", "", w)
	w.Close()
	if len(fds) == 0 {
		t.Error("no descriptor")
	}
	var p parser
	// In two parts, as a stream may cut it.
	p.add(b[:10], nil)
	if m, err := p.next(); m != nil || err != nil {
		t.Fatalf("%v, %v", m, err)
	}
	p.add(b[10:], nil)
	m, err := p.next()
	if err != nil || m == nil || m.object != 7 || m.event != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	if n, s1, s2, s3 := m.uint(), m.string(), m.string(), m.string(); n != 9 || s1 != "abc" || s2 != "abcd" || s3 != "" || m.bad || len(m.b) > 0 {
		t.Errorf("%d, %q, %q, %q", n, s1, s2, s3)
	}
	if m.uint(); !m.bad {
		t.Error("more was read than is there")
	}
	if m.file() != nil {
		t.Error("a descriptor was read that is not there")
	}
}

func FuzzParser(f *testing.F) {
	whole, _ := encode(1, 0, uint32(1), uint32(2), "text")
	f.Add(whole)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 4, 0})
	f.Add(syscall.UnixRights())
	f.Fuzz(func(t *testing.T, b []byte) {
		var p parser
		if p.add(b, nil) != nil {
			return
		}
		for {
			m, err := p.next()
			if m == nil || err != nil {
				return
			}
			m.string()
			m.uint()
			m.string()
			if m.file() != nil {
				t.Fatal("a descriptor from nowhere")
			}
		}
	})
}
