package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"voice-input/pkg/cli"
)

// Fetcher downloads files. Its zero value is not usable; see NewFetcher.
type Fetcher struct {
	client *http.Client
	// Stall is how long no byte may come before an attempt is given up.
	Stall time.Duration
	// Attempts is how often a file is tried while each gets further.
	Attempts int
	// Pause lies between two attempts.
	Pause time.Duration
	// Progress is told how much of a file is here.
	Progress func(f File, have int64)
}

// NewFetcher returns a Fetcher that follows redirects to protected addresses
// only. transport is nil for the system's own certificates and proxies.
func NewFetcher(transport http.RoundTripper) *Fetcher {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:   15 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second,
			ForceAttemptHTTP2:     true,
		}
	}
	client := &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	return &Fetcher{client: client, Stall: 30 * time.Second, Attempts: 5, Pause: time.Second, Progress: func(File, int64) {}}
}

// errRedirect is what checkRedirect refuses with.
var errRedirect = errors.New("it redirects to an address that is not https")

// checkRedirect lets a download leave https only if it never had it, on this
// machine.
func checkRedirect(to *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("it redirects too often")
	}
	if !mayFetch(to.URL) || via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
		return errRedirect
	}
	return nil
}

// Fetch is a source that downloads. It goes on where an earlier run stopped,
// and starts again if what is there proves wrong.
func (d *Fetcher) Fetch(ctx context.Context, part *os.File, f File) error {
	sum, have, err := resume(ctx, part, f)
	if err != nil {
		return err
	}
	if err := room(part, f.Size-have); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		before := have
		have, err = d.attempt(ctx, part, f, sum, have)
		var final *cli.Error
		switch {
		case err == nil:
			return d.finish(part, f, sum)
		case ctx.Err() != nil:
			return cli.Errorf(cli.StatusTempFail, "fetching %q was interrupted: %w", f.Name, context.Cause(ctx))
		case errors.As(err, &final):
			return final
		case attempt >= d.Attempts:
			return cli.Errorf(cli.StatusTempFail, "cannot fetch %q: %w", f.Name, err).
				WithHint("run it again; it goes on where it stopped, at %d of %d bytes", have, f.Size)
		case have > before:
			attempt = 0 // only attempts that bring nothing count
		}
		select {
		case <-ctx.Done():
		case <-time.After(d.Pause):
		}
	}
}

func (d *Fetcher) finish(part *os.File, f File, sum hash.Hash) error {
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		part.Truncate(0)
		return cli.Errorf(cli.StatusProtocol, "cannot use %q as it was fetched: %w", f.Name, errMismatch).
			WithHint("it was removed; the server or something on the way changed it")
	}
	return nil
}

// resume hashes what an earlier run left.
func resume(ctx context.Context, part *os.File, f File) (hash.Hash, int64, error) {
	sum := sha256.New()
	have, err := io.Copy(sum, io.LimitReader(reader{ctx, part}, f.Size+1))
	if err == nil && have >= f.Size {
		// Complete files have no such name, so this is no file of ours.
		err = restart(part, sum)
		have = 0
	}
	if err != nil {
		return nil, 0, cli.Errorf(cli.StatusIO, "cannot read %q: %w", part.Name(), err)
	}
	return sum, have, nil
}

func restart(part *os.File, sum hash.Hash) error {
	sum.Reset()
	if err := part.Truncate(0); err != nil {
		return err
	}
	_, err := part.Seek(0, io.SeekStart)
	return err
}

// room refuses to begin what the disk cannot hold.
func room(part *os.File, need int64) error {
	var st unix.Statfs_t
	if unix.Fstatfs(int(part.Fd()), &st) != nil {
		return nil // it will show
	}
	if free := int64(st.Bavail) * st.Bsize; free < need {
		return cli.Errorf(cli.StatusIO, "cannot write %q: the disk has %d MB free and %d MB are needed", part.Name(), free>>20, need>>20).
			WithHint("make room, or set XDG_DATA_HOME to a place that has it")
	}
	return nil
}

// attempt asks for the bytes from have on and appends what comes. It returns
// how much is here then. An error that trying again cannot mend is a
// *cli.Error.
func (d *Fetcher) attempt(ctx context.Context, part *os.File, f File, sum hash.Hash, have int64) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(d.Stall, func() { cancel(fmt.Errorf("no byte came for %s", d.Stall)) })
	defer stall.Stop()

	answer, err := d.ask(ctx, f, have)
	if err != nil {
		return have, cause(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK && have > 0 {
		if err := restart(part, sum); err != nil { // the server cannot go on in the middle
			return have, writeError(part, err)
		}
		have = 0
	}
	buf := make([]byte, 128<<10)
	for {
		n, err := (reader{ctx, answer.Body}).Read(buf)
		stall.Reset(d.Stall)
		if have+int64(n) > f.Size {
			part.Truncate(0)
			return 0, cli.Errorf(cli.StatusProtocol, "cannot fetch %q: the server sends more than its %d bytes", f.Name, f.Size)
		}
		if n > 0 {
			if _, err := (partWriter{part}).Write(buf[:n]); err != nil {
				return have, err
			}
			sum.Write(buf[:n])
			have += int64(n)
			d.Progress(f, have)
		}
		switch {
		case have == f.Size:
			return have, nil
		case err == io.EOF:
			return have, io.ErrUnexpectedEOF
		case err != nil:
			return have, cause(ctx, err)
		}
	}
}

// cause prefers the reason of the context's end, a stall, over the error that
// it led to.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// ask sends the request and judges the answer's head.
func (d *Fetcher) ask(ctx context.Context, f File, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return nil, cli.Errorf(cli.StatusConfig, "cannot fetch %q: its address is wrong", f.Name)
	}
	request.Header.Set("Accept-Encoding", "identity") // the hash is of the file itself
	request.Header.Set("User-Agent", "voice-input/"+cli.Version())
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	answer, err := d.client.Do(request)
	if errors.Is(err, errRedirect) {
		return nil, cli.Errorf(cli.StatusProtocol, "cannot fetch %q: %w", f.Name, errRedirect)
	}
	if err != nil {
		return nil, err
	}
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
		return answer, nil
	case code == http.StatusPartialContent && have > 0:
		var from, to, size int64
		n, _ := fmt.Sscanf(answer.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size)
		if n == 3 && from == have && size == f.Size {
			return answer, nil
		}
		err = cli.Errorf(cli.StatusProtocol, "cannot fetch %q: the server answers with another part than was asked for", f.Name)
	case code == http.StatusTooManyRequests || code >= 500:
		err = fmt.Errorf("the server answers %s", answer.Status)
	default:
		err = cli.Errorf(cli.StatusUnavailable, "cannot fetch %q: the server answers %s", f.Name, answer.Status)
	}
	answer.Body.Close()
	return nil, err
}
