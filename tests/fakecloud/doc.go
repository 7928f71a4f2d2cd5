// Package fakecloud is a server on the loopback that speaks as the speech
// services do, for the tests of the engines. It judges all that a client sends
// and does wrong whatever a scenario asks of it:
//
//	srv, err := fakecloud.Start(fakecloud.Scenario{
//		Results: fakecloud.Sentences(16000, "open the panel.", "close it."),
//		Faults:  []fakecloud.Fault{{Name: fakecloud.CloseBeforeFinish, Connection: 1, Samples: 20000}},
//	})
//	defer srv.Close()
//	// dial srv.URL(fakecloud.TaskPath), with the key srv.Token()
//	srv.Check(t) // every violation fails the test
//	srv.Journal() // what happened, connection by connection
//
// What is recognised is scripted by the number of samples that have arrived,
// so that a test has the same outcome at any speed. The samples are checked
// one by one: a test streams Ramp, of which the server knows each sample, or
// any other sound, given as Scenario.Audio.
//
// One file per protocol: task.go (DashScope tasks), realtime.go (Qwen3-ASR),
// openairealtime.go, native.go, compatible.go, transcriptions.go and
// inference.go (whisper.cpp). cmd/fakecloud serves by hand.
package fakecloud
