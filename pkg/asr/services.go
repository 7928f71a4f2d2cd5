package asr

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/asr/native"
	"voice-input/pkg/asr/openai"
	"voice-input/pkg/asr/qwenaudio"
	"voice-input/pkg/asr/qwenrealtime"
	"voice-input/pkg/asr/whisperserver"
	"voice-input/pkg/cli"
	"voice-input/pkg/config"
	"voice-input/pkg/internal/address"
	"voice-input/pkg/internal/apikey"
	"voice-input/pkg/wire"
)

// Protocols of services. Each is also the name of a service with the defaults,
// which needs no section in the configuration.
const (
	qwenAudio     = "qwen-audio3"
	qwenRealtime  = "qwen3-realtime"
	openAI        = "openai"
	whisperServer = "whisper-server"
)

var protocols = []string{qwenAudio, qwenRealtime, openAI, whisperServer}

// service is a recogniser on the network, as it is configured.
type service struct {
	config.Service
	name string
}

// serviceOf returns the service of a name, if it is one: it has a section of
// the configuration, or the name of a protocol.
func serviceOf(cfg config.ASR, name string) (s service, known bool, err error) {
	section, known := cfg.Service[name]
	if !known && !slices.Contains(protocols, name) {
		return service{}, false, nil
	}
	if !known {
		section = config.Service{}.Defaults()
	}
	section.Protocol = cmp.Or(section.Protocol, name)
	if !slices.Contains(protocols, section.Protocol) {
		return service{}, true, cli.Errorf(cli.StatusConfig, "[asr.service.%s].protocol: is missing", name).
			WithHint("one of %s", strings.Join(protocols, ", "))
	}
	return service{section, name}, true, nil
}

// services returns the names of all services, sorted.
func services(cfg config.ASR) []string {
	names := slices.Concat(protocols, slices.Collect(maps.Keys(cfg.Service)))
	slices.Sort(names)
	return slices.Compact(names)
}

// host returns where a service stands, "" for the place of its protocol's
// provider.
func (s service) host() string {
	u, err := address.Parse(s.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// keySource says where the key of a service may lie. A variable that names a
// provider counts for that provider's own host alone: a key must not go
// anywhere else.
func (s service) keySource() apikey.Source {
	var environ []string
	switch host := s.host(); {
	case (s.Protocol == qwenAudio || s.Protocol == qwenRealtime) && (host == "" || strings.HasSuffix(host, ".aliyuncs.com")):
		environ = append(environ, "DASHSCOPE_API_KEY")
	case s.Protocol == openAI && (host == "" || host == "api.openai.com"):
		environ = append(environ, "OPENAI_API_KEY")
	case s.Protocol == openAI && host == "api.groq.com":
		environ = append(environ, "GROQ_API_KEY")
	}
	return apikey.Source{
		Credential: "asr." + s.name, File: s.APIKeyFile, Command: s.APIKeyCommand,
		Environ: append(environ, "VOICE_INPUT_ASR_API_KEY"),
	}
}

// needsKey tells whether a service is of no use without a key. Servers on this
// machine need none, but that qwen-audio3 has no way without; whisper.cpp's has
// no keys anywhere.
func (s service) needsKey() bool {
	return s.Protocol != whisperServer && (s.Protocol == qwenAudio || !address.Loopback(s.host()))
}

// key finds the key of a service.
func (s service) key(ctx context.Context, getenv func(string) string) (apikey.Key, error) {
	key, err := s.keySource().Find(ctx, getenv)
	if errors.Is(err, apikey.ErrNone) && !s.needsKey() {
		return apikey.Key{}, nil
	}
	return key, err
}

// check tells whether a service can be asked, without asking it: its key is
// there, and at an address of this machine somebody listens.
func (s service) check(ctx context.Context, getenv func(string) string) error {
	key, err := s.key(ctx, getenv)
	if err != nil {
		return err
	}
	e, err := s.engine(key)
	if err != nil {
		return err
	}
	e.Close()
	u, err := address.Parse(cmp.Or(s.URL, usualURL[s.Protocol]))
	if err != nil || !address.Loopback(u.Hostname()) {
		return nil
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "ws": "80"}[u.Scheme], "443")
	dialer := net.Dialer{Timeout: ms(s.ConnectTimeoutMS)}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return errors.New("no server listens at its address")
	}
	return conn.Close()
}

// usualURL is the address of what runs on this machine if it is told nothing.
var usualURL = map[string]string{whisperServer: whisperserver.UsualURL}

// open returns the engine of a service. It sends nothing yet.
func (s service) open(ctx context.Context, o *cli.IO, model string) (engine.Engine, error) {
	key, err := s.key(ctx, o.Getenv)
	if err != nil {
		return nil, err
	}
	s.Model = cmp.Or(model, s.Model)
	e, err := s.engine(key)
	if err != nil {
		return nil, cli.Errorf(cli.StatusConfig, "[asr.service.%s]: %w", s.name, err)
	}
	if s.Hints == "none" {
		e = discreet{e}
	}
	o.Explain("engine %q is the service %s, with %s", s.name, s.Protocol, map[bool]string{true: "no key", false: "a key"}[key.Empty()])
	return e, nil
}

func (s service) engine(key apikey.Key) (engine.Engine, error) {
	connect, request := ms(s.ConnectTimeoutMS), ms(s.RequestTimeoutMS)
	switch s.Protocol {
	case openAI:
		return openai.New(openai.Options{
			Name: s.name, URL: s.URL, Model: s.Model, Key: key, Hints: s.Hints, Vocabulary: s.Vocabulary, Stream: s.Stream,
			LanguageHints: s.LanguageHints, Connect: connect, Request: request,
		})
	case whisperServer:
		return whisperserver.New(whisperserver.Options{
			Name: s.name, URL: s.URL, Key: key, Vocabulary: s.Vocabulary,
			LanguageHints: s.LanguageHints, Connect: connect, Request: request,
		})
	case qwenAudio:
		custom := qwenaudio.Segmentation{
			MaxSentenceSilenceMS: s.MaxSentenceSilenceMS, SemanticPunctuation: s.SemanticPunctuation, MultiThreshold: s.MultiThreshold,
		}
		if s.SpeechNoiseThreshold != "" {
			threshold, err := strconv.ParseFloat(s.SpeechNoiseThreshold, 64)
			if err != nil {
				return nil, errors.New("speech_noise_threshold is no number")
			}
			custom.NoiseThreshold = &threshold
		}
		return qwenaudio.New(qwenaudio.Options{
			Name: s.name, Region: s.Region, Workspace: s.Workspace, URL: s.URL, Model: s.Model, Key: key, Vocabulary: s.Vocabulary,
			LanguageHints: s.LanguageHints, Preset: s.Preset, Custom: custom, Heartbeat: s.Heartbeat,
			Native: native.Mode(s.Native), NativeModel: s.NativeModel, NativeURL: s.NativeURL,
			Connect: connect, Finalize: ms(s.FinalizeTimeoutMS), Request: request,
		})
	case qwenRealtime:
		threshold, err := strconv.ParseFloat(s.VADThreshold, 64)
		if err != nil {
			return nil, errors.New("vad_threshold is no number")
		}
		return qwenrealtime.New(qwenrealtime.Options{
			Name: s.name, Region: s.Region, Workspace: s.Workspace, URL: s.URL, Model: s.Model, Key: key, Vocabulary: s.Vocabulary,
			LanguageHints: s.LanguageHints, VADThreshold: threshold, VADSilenceMS: s.VADSilenceMS,
			Connect: connect, Finalize: ms(s.FinalizeTimeoutMS),
		})
	}
	return nil, errors.New("the protocol is not known")
}

// discreet keeps the terms of a context from a service, whatever it speaks. The
// user's own words are for it if he says so.
type discreet struct{ engine.Engine }

// Rereads implements engine.Rereader, as all services do.
func (discreet) Rereads() {}

// Recognize implements engine.Engine.
func (d discreet) Recognize(ctx context.Context, take engine.Take, emit func(*wire.ASR)) (string, error) {
	know := take.Hints
	take.Hints = func(ctx context.Context) engine.Hints {
		h := engine.Hints{Vocabulary: know(ctx).Vocabulary}
		for _, v := range h.Vocabulary {
			h.Words = append(h.Words, v.Text)
		}
		return h
	}
	return d.Engine.Recognize(ctx, take, emit)
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
