package capture

import (
	"context"
	"slices"

	"github.com/jfreymuth/pulse/proto"

	"voice-input/pkg/cli"
	"voice-input/pkg/wire"
)

const listHint = "vi-capture sources lists them"

// maxName bounds a source's name. PulseAudio allows 127 bytes; the library
// cannot send a request of more than 1,024.
const maxName = 256

// Sources returns the sources of the sound server, in the server's order,
// and the socket it was reached at. Getenv finds the server as Open does.
func Sources(ctx context.Context, getenv func(string) string) ([]wire.CaptureSource, string, error) {
	c, err := connect(ctx, getenv, func(any) {}, func(error) {})
	if err != nil {
		return nil, "", err
	}
	defer c.close()
	list, err := c.sources(ctx)
	return list, c.server, err
}

func (c *connection) sources(ctx context.Context) ([]wire.CaptureSource, error) {
	const what = "cannot list sources"
	var server proto.GetServerInfoReply
	if err := c.request(ctx, &proto.GetServerInfo{}, &server); err != nil {
		return nil, requestError(what, err)
	}
	var infos proto.GetSourceInfoListReply
	if err := c.request(ctx, &proto.GetSourceInfoList{}, &infos); err != nil {
		return nil, requestError(what, err)
	}
	var list []wire.CaptureSource
	for _, info := range infos {
		list = append(list, describe(info, server.DefaultSourceName))
	}
	return list, nil
}

// describe makes a record of what the server says about a source.
func describe(info *proto.GetSourceInfoReply, defaultName string) wire.CaptureSource {
	property := func(key string) string {
		if v, ok := info.Properties[key]; ok {
			return v.String()
		}
		return ""
	}
	s := wire.CaptureSource{
		Name:        info.SourceName,
		Description: property("device.description"),
		State:       "unknown",
		Muted:       info.Mute,
		Monitor:     info.MonitorSourceIndex != proto.Undefined || property("device.class") == "monitor",
		Default:     info.SourceName == defaultName,
		Rate:        int(info.Rate),
		Channels:    int(info.Channels),
		Available:   true,
	}
	// pa_source_state_t
	if states := []string{"running", "idle", "suspended"}; int64(info.State) < int64(len(states)) {
		s.State = states[info.State]
	}
	const portAvailableNo = 1 // pa_port_available_t; 0 is "unknown"
	for _, port := range info.Ports {
		if port.Name == info.ActivePortName && port.Available == portAvailableNo {
			s.Available = false
		}
	}
	return s
}

// choose picks the source called name, or the server's default for "". A
// name that does not exist must be found out here: pipewire-pulse would
// record its default source instead.
func choose(list []wire.CaptureSource, name string) (wire.CaptureSource, error) {
	byDefault := name == "" || name == "@DEFAULT_SOURCE@"
	i := slices.IndexFunc(list, func(s wire.CaptureSource) bool {
		if byDefault {
			return s.Default
		}
		return s.Name == name
	})
	isMicrophone := func(s wire.CaptureSource) bool { return !s.Monitor }
	switch {
	case byDefault && !slices.ContainsFunc(list, isMicrophone):
		return wire.CaptureSource{}, cli.Errorf(cli.StatusNoInput, "cannot open the default source: the sound server has no microphone").
			WithHint("plug one in; %s", listHint)
	case byDefault && i < 0:
		return wire.CaptureSource{}, cli.Errorf(cli.StatusNoInput, "cannot open the default source: the sound server has chosen none").
			WithHint("name one with --source; %s", listHint)
	case i < 0:
		return wire.CaptureSource{}, cli.Errorf(cli.StatusNoInput, "cannot open source %q: no such source", name).WithHint("%s", listHint)
	case byDefault && list[i].Monitor:
		return wire.CaptureSource{}, cli.Errorf(cli.StatusNoInput, "cannot open the default source: %q hears what is played, it is no microphone", list[i].Name).
			WithHint("name a source with --source; %s", listHint)
	}
	return list[i], nil
}
