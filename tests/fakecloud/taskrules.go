package fakecloud

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the messages of protocol A may hold.

// taskModels are the models that protocol A has.
var taskModels = []string{"qwen-audio-3.0-asr-flash-streaming", "qwen-audio-3.1-asr-flash-streaming", "qwen-audio-3.1-asr-flash-message",
	"fun-asr-realtime", "fun-asr-realtime-2025-09-15", "fun-asr-realtime-2025-11-07", "fun-asr-realtime-2026-02-28",
	"fun-asr-flash-8k-realtime", "paraformer-realtime-v2", "paraformer-realtime-8k-v2"}

// languages are the codes that language_hints may have.
var languages = strings.Fields("zh en ja ko vi th id ms tl hi ar fr de es pt ru it nl sv da fi no el pl cs hu ro bg hr sk")

var (
	uuid = regexp.MustCompile(`^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`)

	taskHeader = func(action string) rule {
		return anObject(map[string]rule{"action": aString(action), "task_id": aTaskID, "streaming": aString("duplex")}, nil)
	}
	finishTask = anObject(map[string]rule{"header": taskHeader("finish-task"),
		"payload": anObject(map[string]rule{"input": anObject(nil, nil)}, nil)}, nil)
	continueTask = anObject(map[string]rule{"header": taskHeader("continue-task"),
		"payload": anObject(map[string]rule{"input": anObject(map[string]rule{"context": aContext}, nil)}, nil)}, nil)
)

func aTaskID(v any, path string, r reporter) {
	aString()(v, path, r)
	if s, ok := v.(string); ok && s != "" && !uuid.MatchString(s) {
		r(WrongValue, path, "no UUID")
	}
}

// runTask is the rule of a whole run-task.
func runTask(v any, path string, r reporter) {
	model := textAt(v, "payload", "model")
	hasContext := !strings.HasPrefix(model, "paraformer")
	input := map[string]rule{}
	if hasContext {
		input["context"] = aContext
	}
	anObject(map[string]rule{
		"header": taskHeader("run-task"),
		"payload": anObject(map[string]rule{
			"task_group": aString("audio"), "task": aString("asr"), "function": aString("recognition"),
			"model": aString(taskModels...), "input": anObject(nil, input), "parameters": taskParameters(model),
		}, nil),
	}, nil)(v, path, r)
	semantic, _ := at(v, "payload", "parameters", "semantic_punctuation_enabled").(bool)
	if multi, _ := at(v, "payload", "parameters", "multi_threshold_mode_enabled").(bool); multi && semantic {
		r(WrongValue, "payload.parameters.multi_threshold_mode_enabled", "without effect beside semantic punctuation")
	}
}

func taskParameters(model string) rule {
	low, high := int64(16000), int64(16000)
	switch {
	case strings.Contains(model, "8k"):
		low, high = 8000, 8000
	case model == "paraformer-realtime-v2":
		low, high = 8000, 192000
	}
	optional := map[string]rule{
		"heartbeat": aBool(), "max_sentence_silence": anInt(200, 6000), "semantic_punctuation_enabled": aBool(),
		"multi_threshold_mode_enabled": aBool(true), "speech_noise_threshold": aNumber(-1, 1),
		"language_hints": aList(1, 4, aString(languages...)), "vocabulary": aVocabulary(strings.HasPrefix(model, "qwen-audio")),
		"vocabulary_id": aString(),
	}
	if strings.HasPrefix(model, "paraformer") || strings.HasSuffix(model, "message") {
		optional["disfluency_removal_enabled"] = aBool()
	}
	if strings.HasSuffix(model, "message") {
		optional["intermediate_result_enabled"] = aBool()
		optional["keep_dialect"] = aBool()
	}
	if strings.HasPrefix(model, "qwen-audio-3.1") {
		optional["vad_model"] = aString("near_meeting_16k", "far_field_meeting_16k")
	}
	return anObject(map[string]rule{"format": aString("pcm", "wav", "mp3", "opus", "speex", "aac", "amr"),
		"sample_rate": anInt(low, high)}, optional)
}

// Bounds of a vocabulary.
const (
	mostTerms     = 2000
	mostSuper     = 50 // terms of weight 50, the "super hotwords"
	mostTermBytes = 256 << 10
	mostHan       = 15 // characters of a term that is not all ASCII
	mostSegments  = 7  // words of a term that is
)

// aVocabulary is an object of terms and weights. Details name the number of an
// entry in the order of the terms, never the term.
func aVocabulary(super bool) rule {
	return func(v any, path string, r reporter) {
		m, ok := v.(map[string]any)
		if !ok {
			r(WrongKind, path, "no object")
			return
		}
		if len(m) == 0 || len(m) > mostTerms {
			r(WrongValue, path, fmt.Sprintf("%d terms", len(m)))
		}
		supers, size, trimmed := 0, 0, map[string]bool{}
		for i, term := range sorted(m) {
			entry := fmt.Sprintf("%s[%d]", path, i+1)
			n, isNumber := m[term].(json.Number)
			weight, err := n.Int64()
			switch {
			case !isNumber || err != nil:
				r(WrongKind, entry, "no integer")
			case weight == 50 && super:
				supers++
			case weight < 1 || weight > 5:
				r(WrongValue, entry, n.String())
			}
			size += len(term)
			if problem := termProblem(term); problem != "" {
				r(WrongValue, entry, problem)
			}
			if t := strings.TrimSpace(term); trimmed[t] {
				r(DuplicateField, entry, "")
			} else {
				trimmed[t] = true
			}
		}
		if supers > mostSuper || size > mostTermBytes {
			r(TooLong, path, fmt.Sprintf("%d of weight 50, %d bytes", supers, size))
		}
	}
}

func termProblem(term string) string {
	ascii := strings.IndexFunc(term, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	switch {
	case strings.TrimSpace(term) != term || term == "":
		return "not trimmed"
	case strings.IndexFunc(term, unicode.IsControl) >= 0:
		return "a control character"
	case ascii && len(strings.Fields(term)) > mostSegments:
		return "too many words"
	case !ascii && utf8.RuneCountInString(term) > mostHan:
		return "too many characters"
	}
	return ""
}

// Bounds of a context.
const (
	mostTurns       = 5
	mostContextText = 400 // characters of a turn
)

// aContext is what was said before: user and assistant by turns.
func aContext(v any, path string, r reporter) {
	part := func(kind string) rule {
		return aList(1, 1, anObject(map[string]rule{"type": aString(kind), "text": aString()}, nil))
	}
	aList(1, 2*mostTurns, func(v any, path string, r reporter) {
		kind := "input_text"
		if textAt(v, "role") == "assistant" {
			kind = "text"
		}
		anObject(map[string]rule{"role": aString("user", "assistant"), "content": part(kind)}, nil)(v, path, r)
	})(v, path, r)
	messages, _ := v.([]any)
	count, turn, last := map[string]int{}, 0, ""
	for i, m := range messages {
		role := textAt(m, "role")
		count[role]++
		if role != "assistant" || last != "user" {
			turn = 0
		}
		last = role
		turn += utf8.RuneCountInString(textAt(m, "content", 0, "text"))
		if turn > mostContextText {
			r(TooLong, fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%d characters", turn))
		}
	}
	if count["user"] > mostTurns || count["assistant"] > mostTurns {
		r(TooLong, path, "more than 5 messages of a role")
	}
}

// keptContext is what the service keeps of a context, the texts separated by LF:
// of each the first 400 characters. (Of a turn, to be exact; a longer one is a
// violation anyway.)
func keptContext(v any) string {
	messages, _ := v.([]any)
	var texts []string
	for _, m := range messages {
		text := []rune(textAt(m, "content", 0, "text"))
		texts = append(texts, string(text[:min(len(text), mostContextText)]))
	}
	return strings.Join(texts, "\n")
}
