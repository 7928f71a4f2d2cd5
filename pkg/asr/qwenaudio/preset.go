package qwenaudio

import (
	"errors"
	"fmt"
	"math"
)

// Segmentation is how a service cuts speech into sentences.
type Segmentation struct {
	// MaxSentenceSilenceMS is the silence that ends a sentence, 200 to 6000 ms.
	// It does not count with SemanticPunctuation.
	MaxSentenceSilenceMS int
	// SemanticPunctuation cuts by meaning.
	SemanticPunctuation bool
	// MultiThreshold cuts long sentences sooner; not with SemanticPunctuation.
	MultiThreshold bool
	// NoiseThreshold is from -1, where noise counts as speech, to 1; nil leaves
	// it to the service.
	NoiseThreshold *float64
}

// Presets, in the words of the configuration.
const (
	Standard   = "standard"
	LowLatency = "low-latency-dictation"
	LongForm   = "long-form"
	Custom     = "custom"
)

// Preset returns the segmentation of a name: custom itself, checked, or one
// that does not depend on it. "" is Standard.
func Preset(name string, custom Segmentation) (Segmentation, error) {
	switch name {
	case "", Standard:
		return Segmentation{MaxSentenceSilenceMS: 800}, nil
	case LowLatency:
		return Segmentation{MaxSentenceSilenceMS: 400, MultiThreshold: true}, nil
	case LongForm:
		return Segmentation{MaxSentenceSilenceMS: 1300, SemanticPunctuation: true}, nil
	case Custom:
		return custom, custom.check()
	}
	return Segmentation{}, fmt.Errorf("no such preset %q", name)
}

func (s Segmentation) check() error {
	switch {
	case s.MaxSentenceSilenceMS < 200 || s.MaxSentenceSilenceMS > 6000:
		return errors.New("max_sentence_silence_ms must be 200 to 6000")
	case s.SemanticPunctuation && s.MultiThreshold:
		return errors.New("multi_threshold has no meaning with semantic_punctuation")
	case s.NoiseThreshold != nil && !(math.Abs(*s.NoiseThreshold) <= 1):
		return errors.New("speech_noise_threshold must be -1 to 1")
	}
	return nil
}
