package supervise

import (
	"slices"
	"time"

	"voice-input/pkg/config"
)

// Every wait and every limit of the supervisor stands here.
const (
	// tail is recorded after the stop command: the sound server still holds
	// the last syllable then. PipeWire's quantum is 21 ms, a fragment 20 ms.
	tail = 120 * time.Millisecond
	// debounce is how long a key may chatter, or a compositor repeat a binding:
	// a worn switch does for up to 50 ms, nobody presses twice on purpose within
	// 200 ms.
	debounce = 200 * time.Millisecond
	// stallGrace is how much later than vi-capture, which watches [audio].stall_ms
	// itself, the supervisor takes a recorder for dead.
	stallGrace = time.Second
	// reopenFirst and reopenMost are how soon a microphone that is kept open for
	// the pre-roll is opened again after it was lost: the sound server may be
	// starting anew. The wait doubles each time.
	reopenFirst = time.Second
	reopenMost  = 30 * time.Second
	// drainCapture is how long vi-capture has to write its last samples after
	// TERM; it takes a few milliseconds.
	drainCapture = time.Second
	// contextTime bounds each look at the focus, and at a start the look at the
	// session behind it. Kitty alone may take a second.
	contextTime = time.Second
	// termsTime bounds vi-terms for one session; the first one with Chinese in it
	// waits a second for the dictionary. It is also the longest that recognising
	// and refining wait for the terms (rules J3, J4).
	termsTime = 5 * time.Second
	// answerTime and answerPerAudio bound what an engine program may take after
	// the last sample, loadTime the loading of its model. vi-asr's own bounds are
	// 10 s and three times the audio, and 60 s, so these only fire when vi-asr
	// itself hangs.
	answerTime     = 15 * time.Second
	answerPerAudio = 3.5
	loadTime       = 60 * time.Second
	// refineGrace is what vi-refine has beyond [llm].timeout_ms, which it keeps
	// itself.
	refineGrace = 5 * time.Second
	// historyTime bounds a look into the history that holds up a command.
	historyTime = 200 * time.Millisecond
	// deliverTime bounds vi-type, whose drivers have 2 s a program.
	deliverTime = 10 * time.Second
	// errorShown is how long status shows a failure.
	errorShown = 15 * time.Second
	// controlRead and controlWrite bound a client of the control socket that
	// does not speak or does not listen.
	controlRead  = 2 * time.Second
	controlWrite = 2 * time.Second
	// dialTime bounds the client's connection to the control socket, and
	// replyTime the answer. The daemon answers at once; on a machine under load a
	// recorder may take seconds to start.
	dialTime  = time.Second
	replyTime = 10 * time.Second
	// followRetry is how often a followed status looks for a new daemon.
	followRetry = time.Second
	// shutdownTime bounds the end of the daemon.
	shutdownTime = 3 * time.Second
)

const (
	// maxFailures bounds what diagnostics tell of one take.
	maxFailures = 16
	// maxClients bounds the connections served at once.
	maxClients = 32
	// maxCommand bounds a command's line in bytes.
	maxCommand = 4 << 10
	// maxOutput bounds what one stage may print for one take.
	maxOutput = 16 << 20
	// spoolTakes and spoolAge bound what is kept of takes that were not
	// delivered. The longest take of the default configuration is 9.6 MB.
	spoolTakes = 8
	spoolAge   = 24 * time.Hour
	// sampleRate, bytesPerSample: the samples between the stages.
	sampleRate     = 16000
	bytesPerSample = 2
)

// audioTime is how long so many bytes of samples sound.
func audioTime(bytes int64) time.Duration {
	return time.Duration(bytes/bytesPerSample) * time.Second / sampleRate
}

// termsWait is how long refining waits for the terms (rule J4).
func termsWait(cfg config.Config) time.Duration {
	return min(time.Duration(cfg.LLM.TimeoutMS)*time.Millisecond, termsTime)
}

// refineTime bounds vi-refine.
func refineTime(cfg config.Config) time.Duration {
	return time.Duration(cfg.LLM.TimeoutMS)*time.Millisecond + refineGrace
}

// recognitionTime bounds a recognition after the last sample: every engine of
// the configuration may be asked, one after the other. Ready says that the
// first has its model.
func recognitionTime(cfg config.ASR, audio time.Duration, ready bool) time.Duration {
	perAudio := time.Duration(answerPerAudio * float64(audio))
	var all time.Duration
	for i, name := range append([]string{cfg.Engine}, cfg.Fallback...) {
		s, isService := serviceOf(cfg, name)
		switch {
		case isService: // whose connection may be replaced once
			all += time.Duration(2*s.ConnectTimeoutMS+s.FinalizeTimeoutMS+s.RequestTimeoutMS)*time.Millisecond + answerTime
		case i == 0 && ready:
			all += answerTime
		default:
			all += loadTime + answerTime
		}
		all += perAudio
	}
	return all
}

// serviceOf returns the section of a service, and whether the engine of that name
// is one. What has no section is one if it is called like a protocol.
func serviceOf(cfg config.ASR, name string) (s config.Service, isService bool) {
	if s, ok := cfg.Service[name]; ok {
		return s, true
	}
	return config.Service{}.Defaults(), slices.Contains(config.Words("asr.service", "protocol"), name)
}
