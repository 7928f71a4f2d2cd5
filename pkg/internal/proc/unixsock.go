package proc

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Socket returns the inode of a socket that an FD leads to, and whether it is
// one.
func (fd FD) Socket() (uint64, bool) {
	num, ok := strings.CutPrefix(fd.Path, "socket:[")
	if !ok {
		return 0, false
	}
	inode, err := strconv.ParseUint(strings.TrimSuffix(num, "]"), 10, 64)
	return inode, err == nil
}

// UnixPeers maps the inode of each connected Unix socket of this network
// namespace to that of its peer, as sock_diag(7) tells it. /proc/net/unix does
// not say who is connected with whom.
func UnixPeers() (map[uint64]uint64, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the kernel for sockets: %w", err)
	}
	defer unix.Close(fd)
	// The kernel answers at once; the limit only keeps a fault from hanging.
	unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 250_000})
	if err := unix.Sendto(fd, unixDiagRequest(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, fmt.Errorf("cannot ask the kernel for sockets: %w", err)
	}
	peers := map[uint64]uint64{}
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot ask the kernel for sockets: %w", err)
		}
		done, err := parseUnixDiag(buf[:n], peers)
		if err != nil || done {
			return peers, err
		}
	}
}

const (
	sockDiagByFamily = 20 // linux/sock_diag.h
	showPeer         = 4  // UDIAG_SHOW_PEER, linux/unix_diag.h
	attributePeer    = 2  // UNIX_DIAG_PEER
	established      = 1  // TCP_ESTABLISHED
	messageLen       = 16 // struct unix_diag_msg
)

func unixDiagRequest() []byte {
	b := make([]byte, unix.SizeofNlMsghdr+24)
	binary.NativeEndian.PutUint32(b[0:], uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	req := b[unix.SizeofNlMsghdr:]
	req[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(req[4:], 1<<established)
	binary.NativeEndian.PutUint32(req[12:], showPeer)
	return b
}

// parseUnixDiag adds the pairs in one datagram of the answer and tells whether
// it was the last.
func parseUnixDiag(b []byte, peers map[uint64]uint64) (done bool, err error) {
	for len(b) >= unix.SizeofNlMsghdr {
		size := int(binary.NativeEndian.Uint32(b))
		if size < unix.SizeofNlMsghdr || size > len(b) {
			return false, fmt.Errorf("cannot read the kernel's list of sockets: it is cut short")
		}
		switch binary.NativeEndian.Uint16(b[4:]) {
		case unix.NLMSG_DONE:
			return true, nil
		case unix.NLMSG_ERROR:
			return false, fmt.Errorf("cannot read the kernel's list of sockets: it was refused")
		}
		if msg := b[unix.SizeofNlMsghdr:size]; len(msg) >= messageLen {
			inode := uint64(binary.NativeEndian.Uint32(msg[4:]))
			if peer, ok := peerAttribute(msg[messageLen:]); ok {
				peers[inode] = peer
			}
		}
		b = b[min(align4(size), len(b)):]
	}
	return false, nil
}

func peerAttribute(b []byte) (uint64, bool) {
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			return 0, false
		}
		if binary.NativeEndian.Uint16(b[2:]) == attributePeer && size >= 8 {
			return uint64(binary.NativeEndian.Uint32(b[4:])), true
		}
		b = b[min(align4(size), len(b)):]
	}
	return 0, false
}

func align4(n int) int { return (n + 3) &^ 3 }
