// Package asr is vi-asr: it has an engine recognise what was said and passes
// the engine's events on.
//
// Engines differ, and none is trusted alone. What holds for all of them is
// done here, after the engine, by pure functions: the samples themselves say
// whether anybody spoke (pkg/asr/vad), a text that only repeats the hints is
// dropped (echo.go), and what is left is cleaned (text.go). What an engine had
// settled before it failed is kept.
package asr
