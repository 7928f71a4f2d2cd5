package focus

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
)

// Sway speaks the protocol of i3 (sway-ipc(7)). i3 itself is asked as X11,
// for its tree does not name processes.
var swayFamily = family{
	kind: "sway",
	named: func(getenv func(string) string) []string {
		if path := getenv("SWAYSOCK"); path != "" {
			return []string{path}
		}
		return nil
	},
	pattern: fmt.Sprintf("sway-ipc.%d.*.sock", os.Getuid()),
	open:    func(endpoint string) desktop { return sway{endpoint} },
}

type sway struct{ path string }

// Types of messages, and the mark before each.
const (
	swaySubscribe = 2
	swayGetTree   = 4
	swayMagic     = "i3-ipc"
)

func (s sway) focused(ctx context.Context) (window, error) {
	conn, err := dial(ctx, s.path)
	if err != nil {
		return window{}, err
	}
	defer conn.Close()
	if err := swayWrite(conn, swayGetTree, ""); err != nil {
		return window{}, lost(ctx, err)
	}
	tree, err := swayRead(conn)
	if err != nil {
		return window{}, lost(ctx, err)
	}
	return parseSway(tree)
}

func swayWrite(w io.Writer, kind uint32, payload string) error {
	b := binary.NativeEndian.AppendUint32([]byte(swayMagic), uint32(len(payload)))
	b = binary.NativeEndian.AppendUint32(b, kind)
	_, err := w.Write(append(b, payload...))
	return err
}

func swayRead(r io.Reader) ([]byte, error) {
	head := make([]byte, len(swayMagic)+8)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.NativeEndian.Uint32(head[len(swayMagic):])
	if string(head[:len(swayMagic)]) != swayMagic || size > maxAnswer {
		return nil, errBadAnswer
	}
	b := make([]byte, size)
	_, err := io.ReadFull(r, b)
	return b, err
}

// swayNode is what is read of a node of the tree; its name, which is a title,
// is not.
type swayNode struct {
	ID         int64
	Type       string
	Focused    bool
	PID        int
	AppID      string `json:"app_id"`
	Shell      string
	Window     uint32
	Properties struct{ Class string } `json:"window_properties"`
	Nodes      []swayNode
	Floating   []swayNode `json:"floating_nodes"`
}

// focused returns the node that has the focus. On an empty workspace that is
// the workspace, and where a container was chosen it is that.
func (n *swayNode) focused() *swayNode {
	if n.Focused {
		return n
	}
	for _, list := range [][]swayNode{n.Nodes, n.Floating} {
		for i := range list {
			if f := list[i].focused(); f != nil {
				return f
			}
		}
	}
	return nil
}

func parseSway(tree []byte) (window, error) {
	var root swayNode
	if json.Unmarshal(tree, &root) != nil || root.Type != "root" {
		return window{}, errBadAnswer
	}
	n := root.focused()
	if n == nil || n.PID <= 0 || n.Type != "con" && n.Type != "floating_con" {
		return window{}, errNoWindow
	}
	w := window{class: n.AppID, pid: n.PID, address: strconv.FormatInt(n.ID, 10), xwayland: n.Shell == "xwayland"}
	if w.xwayland {
		w.class, w.x11 = n.Properties.Class, n.Window
	}
	return w, nil
}

// watch subscribes to the events of windows and, for a workspace without
// windows, of workspaces.
func (s sway) watch(ctx context.Context, changed func()) error {
	conn, err := dial(ctx, s.path)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := swayWrite(conn, swaySubscribe, `["window","workspace"]`); err != nil {
		return err
	}
	for {
		// The first is the answer to the request, then there are events.
		if _, err := swayRead(conn); err != nil {
			return err
		}
		changed()
	}
}
