// Package soundtest starts real sound servers for tests: PulseAudio, and
// PipeWire with pipewire-pulse and WirePlumber. Each is private: it has a
// runtime directory and a home of its own and ends with the test, or with the
// test binary if that is killed. No device is needed, nor systemd, nor a bus
// of the session.
//
// A Pulse server has these sources:
//
//   - mic: a microphone that hears silence in real time (a remapped monitor of
//     a null sink). After a pause its first sample takes up to 3 s.
//   - pipemic: a microphone whose samples are those written to Mic, unchanged
//     and at the pace of the writer. It is the default.
//   - speaker.monitor: the monitor of the null sink, no microphone.
//
// A PipeWire server has mic, which is the default there, and speaker.monitor.
//
// A test that needs a program that is absent fails. It is skipped instead
// where VI_TEST_ALLOW_SKIP=1 is set.
package soundtest
