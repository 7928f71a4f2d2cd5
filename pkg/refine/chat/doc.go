// Package chat asks a language model one question, in the protocol of
// OpenAI's chat completions, which most services and local servers speak
// (Ollama, llama.cpp, vLLM, OpenRouter and others).
//
// The answer is read as it is generated, so that a deadline never waits for
// the rest of it. Nothing that a service says is repeated in an error: it may
// quote the question.
package chat
