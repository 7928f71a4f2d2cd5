// Package capture records a microphone through PulseAudio's native protocol,
// which PipeWire speaks too. The samples are always signed 16 bit little
// endian, mono, 16 kHz; the server converts.
//
// What it promises:
//
//   - The samples are those of the source that was chosen, from the first to
//     the last. If the source goes away, is suspended, or the server wants to
//     go on with another one, the stream ends and says why. It never carries
//     on with another microphone and never leaves a hole.
//   - A slow reader loses nothing: up to QueueLimit bytes wait for it, and one
//     that is slower still gets an error, after all that came before it.
//   - The audio stays on this machine: only servers behind a unix socket are
//     used.
//   - Nothing waits for ever, and the microphone is let go before a stream
//     reports its end.
//
// A source that is suspended when a recording starts is woken: that is how an
// idle device normally is. One that is suspended after the first samples was
// switched off by someone, and the recording ends.
//
// The layers, from the bottom: server.go finds the socket, frames.go guards
// the protocol library, connection.go makes requests, source.go chooses the
// source, stream.go is a recording. The program stands on top: command.go has
// its flags, record.go moves the samples, events.go tells the caller about
// them.
package capture
