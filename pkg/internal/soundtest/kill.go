package soundtest

import (
	"errors"
	"net"
	"time"

	"github.com/jfreymuth/pulse/proto"
	"golang.org/x/sys/unix"
)

// killSourceOutput makes the one request that pactl has no command for.
func killSourceOutput(socket string, index uint32) error {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket})
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(Limit))
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	// The server must see our user id even if it has not asked for it yet.
	raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1) })
	if err != nil {
		return err
	}
	client := &proto.Client{Callback: func(any) {}}
	client.SetTimeout(Limit)
	client.Open(conn)
	reply := proto.AuthReply{}
	if err := client.Request(&proto.Auth{Version: client.Version(), Cookie: make([]byte, 256)}, &reply); err != nil {
		return err
	}
	client.SetVersion(reply.Version)
	name := proto.PropList{"application.name": proto.PropListString("soundtest")}
	if err := client.Request(&proto.SetClientName{Props: name}, &proto.SetClientNameReply{}); err != nil {
		return err
	}
	if err := client.Request(&proto.KillSourceOutput{SourceOutputIndex: index}, nil); err != nil {
		return err
	}
	// pipewire-pulse answers first and forgets the request if the client that
	// made it goes away: stay until the stream is gone.
	for end := time.Now().Add(Limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		err := client.Request(&proto.GetSourceOutputInfo{SourceOutpuIndex: index}, &proto.GetSourceOutputInfoReply{})
		if errors.Is(err, proto.ErrNoSuchEntity) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("it is still there")
}
