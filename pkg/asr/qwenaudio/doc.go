// Package qwenaudio is the engine for the recognisers that speak the task
// protocol of DashScope: Qwen-Audio-3, Fun-ASR and Paraformer. Samples go out
// as they come, and sentences come back while they are spoken.
//
// A connection that is lost before the samples have ended is replaced once,
// and hears everything from the first sample on. What is still missing after
// that can come from the native pass, one request with the whole recording;
// the package native says when.
//
// The files, from the outside in: engine.go is what the recogniser sees;
// recognition.go leads one take, whose samples recording.go follows; stream.go
// leads its connections, of which task.go is one. connect.go opens it,
// request.go is what is asked, sender.go writes the samples, message.go reads
// the answers, transcript.go puts them together and watch.go notices when there
// are none. Everything that decides without doing is in decide.go, and all
// waits and bounds stand in limits.go.
package qwenaudio
