package focus

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
)

// niri takes and gives one JSON value a line
// (https://yalter.github.io/niri/niri_ipc/).
var niriFamily = family{
	kind: "niri",
	named: func(getenv func(string) string) []string {
		if path := getenv("NIRI_SOCKET"); path != "" {
			return []string{path}
		}
		return nil
	},
	pattern: "niri.*.sock",
	open:    func(endpoint string) desktop { return niri{endpoint} },
}

type niri struct{ path string }

func (n niri) focused(ctx context.Context) (window, error) {
	conn, err := dial(ctx, n.path)
	if err != nil {
		return window{}, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("\"FocusedWindow\"\n")); err != nil {
		return window{}, lost(ctx, err)
	}
	// niri leaves the connection open for further requests.
	answer, err := bufio.NewReader(io.LimitReader(conn, maxAnswer)).ReadBytes('\n')
	if err != nil && (err != io.EOF || len(answer) == 0) {
		return window{}, lost(ctx, err)
	}
	return parseNiri(answer)
}

func parseNiri(answer []byte) (window, error) {
	var reply struct {
		Ok *struct {
			FocusedWindow json.RawMessage
		}
	}
	if json.Unmarshal(answer, &reply) != nil || reply.Ok == nil || len(reply.Ok.FocusedWindow) == 0 {
		return window{}, errBadAnswer
	}
	if bytes.Equal(reply.Ok.FocusedWindow, []byte("null")) {
		return window{}, errNoWindow
	}
	var w struct {
		ID    uint64
		AppID string `json:"app_id"`
		PID   int
	}
	if json.Unmarshal(reply.Ok.FocusedWindow, &w) != nil {
		return window{}, errBadAnswer
	}
	return window{class: w.AppID, pid: max(0, w.PID), address: strconv.FormatUint(w.ID, 10)}, nil
}

// watch takes any event for a change; of the first ones, which describe the
// present state, that is no harm.
func (n niri) watch(ctx context.Context, changed func()) error {
	conn, err := dial(ctx, n.path)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("\"EventStream\"\n")); err != nil {
		return err
	}
	return eachLine(conn, func([]byte) { changed() })
}
