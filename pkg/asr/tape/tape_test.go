package tape

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
)

func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

// Every reader gets every byte, whatever the pieces and whoever is first.
func TestReadersGetEverything(t *testing.T) {
	for _, keep := range []bool{false, true} {
		want := ramp(3*block + 777)
		size := int64(2 * block)
		if keep {
			size = int64(len(want))
		}
		tp := New(size, keep)
		var wg sync.WaitGroup
		for i := range 3 {
			r, err := tp.Reader()
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			wg.Go(func() {
				var got []byte
				for {
					p := make([]byte, 1+rng.IntN(9000))
					n, err := r.Read(p)
					got = append(got, p[:n]...)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
				if !bytes.Equal(got, want) {
					t.Errorf("keep %t, reader %d: %d bytes differ from %d", keep, i, len(got), len(want))
				}
			})
		}
		rng := rand.New(rand.NewPCG(2, 2))
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(20000))
			if k, err := tp.Write(rest[:n]); k != n || err != nil {
				t.Fatal(k, err)
			}
			rest = rest[n:]
		}
		tp.Close(io.EOF)
		wg.Wait()
		again, err := tp.Reader()
		if keep && err == nil {
			got, _ := io.ReadAll(again)
			if !bytes.Equal(got, want) {
				t.Error("the second reading differs")
			}
		}
		if !keep && !errors.Is(err, ErrDropped) || keep && err != nil {
			t.Errorf("keep %t: %v", keep, err)
		}
	}
}

// A full tape holds up its writer until a reader has read, and drops only what
// all have read.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, keep := range []bool{false, true} {
			tp := New(2*block, keep)
			fast, _ := tp.Reader()
			slow, _ := tp.Reader()
			written := make(chan error, 1)
			go func() {
				_, err := tp.Write(ramp(3 * block))
				written <- err
			}()
			io.ReadFull(fast, make([]byte, 2*block))
			synctest.Wait()
			if tp.Len() != 2*block {
				t.Errorf("keep %t: %d bytes were written past the slow reader", keep, tp.Len())
			}
			io.ReadFull(slow, make([]byte, block))
			if err := <-written; err != nil || tp.Len() != 3*block {
				t.Errorf("keep %t: %v, %d", keep, err, tp.Len())
			}
			if _, err := tp.Reader(); !errors.Is(err, ErrDropped) {
				t.Errorf("keep %t: %v", keep, err)
			}
			tp.Close(io.EOF)
			got, _ := io.ReadAll(slow)
			if !bytes.Equal(got, ramp(3 * block)[block:]) {
				t.Errorf("keep %t: the rest differs", keep)
			}
		}
	})
}

func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("cause")
		tp := New(block, true)
		r, _ := tp.Reader()
		other, _ := tp.Reader()
		ended := make(chan error, 2)
		read := func(r *Reader) { _, err := r.Read(make([]byte, 1)); ended <- err }
		go read(other)
		synctest.Wait()
		other.Close()
		if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a closed reader: %v", err)
		}
		tp.Write([]byte("ab"))
		if r.Buffered() != 2 {
			t.Errorf("%d buffered", r.Buffered())
		}
		tp.Close(cause)
		tp.Close(io.EOF)
		go read(r)
		if err := <-ended; err != cause {
			t.Errorf("a torn tape: %v", err)
		}
		if _, err := tp.Write([]byte("c")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a closed tape is written: %v", err)
		}
	})
}
