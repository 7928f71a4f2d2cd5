package proc

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestUnixPeers(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	inode := func(c net.Conn) (inode uint64) {
		raw, err := c.(*net.UnixConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(num uintptr) {
			fds, _ := Root.FDs(os.Getpid())
			for _, fd := range fds {
				if fd.Num == int(num) {
					inode, _ = fd.Socket()
				}
			}
		})
		return inode
	}
	a, b := inode(dialed), inode(accepted)
	peers, err := UnixPeers()
	if err != nil || a == 0 || b == 0 || peers[a] != b || peers[b] != a {
		t.Errorf("%d and %d: got %d and %d, %v", a, b, peers[a], peers[b], err)
	}
	if inode, ok := (FD{0, "socket:[x]"}).Socket(); ok {
		t.Error(inode)
	}
}

func FuzzParseUnixDiag(f *testing.F) {
	f.Add(unixDiagRequest())
	f.Fuzz(func(t *testing.T, b []byte) { parseUnixDiag(b, map[uint64]uint64{}) })
}
