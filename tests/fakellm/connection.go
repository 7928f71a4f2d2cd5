package fakellm

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// connectionFaults are those below the answer's text.
var connectionFaults = []Fault{
	{Name: "hang", Trials: []string{"L12"}, Reason: "timeout", Waits: true, serve: (*exchange).wait},
	{Name: "hang-after-head", Trials: []string{"L12"}, Reason: "timeout", Waits: true, serve: func(x *exchange) {
		x.w.WriteHeader(http.StatusOK)
		x.raw("")
		x.wait()
	}},
	{Name: "hang-in-text", Trials: []string{"L12"}, Reason: "timeout", Waits: true, serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(all[:len(all)/2]...)
		x.wait()
	}},
	{Name: "byte-a-time", Trials: []string{"L12"}, Reason: "timeout", Waits: true, serve: func(x *exchange) {
		for _, b := range []byte("data: " + chunk(object{"content": strings.Repeat(x.edit, 10)}, "stop")) {
			x.raw(string(b))
			select {
			case <-x.r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}},
	{Name: "hang-after-finish", Want: Edited, serve: func(x *exchange) {
		x.sse(chunks(x.edit)...)
		x.wait()
	}},
	{Name: "cut-at-once", Reason: "unavailable", serve: (*exchange).cut},
	{Name: "cut-in-json", Reason: "unavailable", serve: func(x *exchange) {
		all := completion(object{"content": x.edit}, "stop")
		x.w.Header().Set("Content-Length", strconv.Itoa(len(all)))
		x.raw(all[:len(all)/2])
		x.cut()
	}},
	{Name: "cut-in-stream", Reason: "unavailable", serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(all[:len(all)/2]...)
		x.cut()
	}},
	{Name: "cut-before-finish", Reason: "unavailable", serve: func(x *exchange) {
		all := chunks(x.edit)
		x.sse(all[:len(all)-1]...)
	}},
	{Name: "early-hints", Want: Edited, serve: func(x *exchange) {
		x.w.WriteHeader(http.StatusEarlyHints)
		x.w.WriteHeader(http.StatusProcessing)
		x.answer(x.edit)
	}},
	{Name: "endless-hints", Reason: "unavailable", serve: func(x *exchange) {
		for range 10_000 {
			x.w.WriteHeader(http.StatusProcessing)
		}
		x.answer(x.edit)
	}},
	{Name: "huge-head", Reason: "unavailable", serve: func(x *exchange) {
		x.w.Header().Set("X-Padding", strings.Repeat("x", 100<<10))
		x.answer(x.edit)
	}},
	{Name: "gzip", Want: Edited, serve: func(x *exchange) { x.zipped(completion(object{"content": x.edit}, "stop")) }},
	{Name: "gzip-stream", Want: Edited, serve: func(x *exchange) {
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(x.w)
		for _, c := range append(chunks(x.edit), done) {
			z.Write([]byte("data: " + c + "\n\n"))
			z.Flush()
			x.raw("")
		}
		z.Close()
	}},
	{Name: "gzip-bomb", Reason: "bad_answer", serve: func(x *exchange) {
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Write(bomb())
	}},
	{Name: "gzip-cut", Reason: "unavailable", serve: func(x *exchange) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(completion(object{"content": x.edit}, "stop")))
		z.Close()
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Write(b.Bytes()[:b.Len()/2])
	}},
	{Name: "gzip-lie", Reason: "unavailable", serve: func(x *exchange) {
		x.w.Header().Set("Content-Encoding", "gzip")
		x.json(object{"content": x.edit}, "stop")
	}},
	{Name: "brotli", Reason: "bad_answer", serve: func(x *exchange) {
		x.w.Header().Set("Content-Encoding", "br")
		x.w.Write([]byte{0x0b, 0x02, 0x80, 'x', 0x03})
	}},
	{Name: "too-large", Reason: "bad_answer", serve: func(x *exchange) {
		all := completion(object{"content": x.edit}, "stop")
		x.body("application/json", all+strings.Repeat(" ", 2<<20+1-len(all)))
	}},
	{Name: "nearly-too-large", Want: Edited, serve: func(x *exchange) {
		all := completion(object{"content": x.edit}, "stop")
		x.body("application/json", all+strings.Repeat(" ", 2<<20-len(all)))
	}},
	{Name: "too-large-line", Reason: "bad_answer", serve: func(x *exchange) {
		x.sse(strings.Repeat("x", 3<<20))
	}},
	{Name: "too-large-comments", Reason: "bad_answer", serve: func(x *exchange) {
		for range 3 << 10 {
			x.w.Write([]byte(":" + strings.Repeat("x", 1<<10) + "\n"))
		}
		x.answer(x.edit)
	}},
}

// bomb is an answer that is a thousand times as large when it is unpacked.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(completion(object{"content": strings.Repeat(" ", 64<<20)}, "stop")))
	z.Close()
	return b.Bytes()
})

// zipped answers with a compressed body.
func (x *exchange) zipped(text string) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(x.w)
	z.Write([]byte(text))
	z.Close()
}
