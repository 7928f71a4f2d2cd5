package provider

import (
	"errors"
	"strings"
	"testing"

	"voice-input/pkg/asr/engine"
	"voice-input/pkg/cli"
)

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		status        int
		code, message string
		want          Refusal
	}{
		{401, "InvalidApiKey", "", Refusal{Authentication, "InvalidApiKey", false}},
		{401, "invalid_api_key", "", Refusal{Authentication, "invalid_api_key", false}},
		{400, "InvalidApiKey", "", Refusal{Authentication, "InvalidApiKey", false}},
		{0, "InvalidApiKey", "", Refusal{Authentication, "InvalidApiKey", false}},
		{401, "", "", Refusal{Authentication, "http_401", false}},
		{403, "AccessDenied", "", Refusal{Permission, "AccessDenied", false}},
		{403, "AccessDenied.Unpurchased", "", Refusal{Permission, "AccessDenied.Unpurchased", false}},
		{403, "Workspace.AccessDenied", "", Refusal{Permission, "Workspace.AccessDenied", false}},
		{403, "", "", Refusal{Permission, "http_403", false}},
		{400, "Arrearage", "", Refusal{Billing, "Arrearage", false}},
		{402, "", "", Refusal{Billing, "http_402", false}},
		{403, "AllocationQuota.FreeTierOnly", "", Refusal{Billing, "AllocationQuota.FreeTierOnly", false}},
		{404, "ModelNotFound", "", Refusal{Configuration, "ModelNotFound", false}},
		{404, "", "", Refusal{Configuration, "http_404", false}},
		{0, "ModelNotFound", "", Refusal{Configuration, "ModelNotFound", false}},
		{400, "InvalidParameter", "", Refusal{Configuration, "InvalidParameter", false}},
		{400, "InvalidParameter.DataInspection", "", Refusal{Configuration, "InvalidParameter.DataInspection", false}},
		{400, "BadRequest.EmptyModel", "", Refusal{Configuration, "BadRequest.EmptyModel", false}},
		{400, "BadRequest.TooLarge", "", Refusal{Audio, "BadRequest.TooLarge", false}},
		{0, "CLIENT_ERROR", "bad parameter", Refusal{Configuration, "CLIENT_ERROR", false}},
		{0, "CLIENT_ERROR", "request timeout after 23 seconds.", Refusal{Idle, "CLIENT_ERROR", true}},
		{429, "Throttling", "", Refusal{Busy, "Throttling", false}},
		{429, "Throttling.RateQuota", "", Refusal{Busy, "Throttling.RateQuota", false}},
		{0, "Throttling.AllocationQuota", "", Refusal{Busy, "Throttling.AllocationQuota", false}},
		{429, "insufficient_quota", "", Refusal{Busy, "insufficient_quota", false}},
		{429, "", "", Refusal{Busy, "http_429", false}},
		{0, "NO_VALID_AUDIO_ERROR", "", Refusal{Empty, "NO_VALID_AUDIO_ERROR", false}},
		{400, "CLIENT_ERROR", "ASR_RESPONSE_HAVE_NO_WORDS", Refusal{Empty, "CLIENT_ERROR", false}},
		{400, "asr_response_have_no_words", "", Refusal{Empty, "asr_response_have_no_words", false}},
		{400, "SUCCESS_WITH_NO_VALID_FRAGMENT", "", Refusal{Empty, "SUCCESS_WITH_NO_VALID_FRAGMENT", false}},
		{400, "AUDIO_DURATION_TOO_LONG", "", Refusal{Audio, "AUDIO_DURATION_TOO_LONG", false}},
		{400, "DECODE_ERROR", "", Refusal{Audio, "DECODE_ERROR", false}},
		{413, "", "", Refusal{Audio, "http_413", false}},
		{400, "DataInspectionFailed", "", Refusal{Blocked, "DataInspectionFailed", false}},
		{400, "data_inspection_failed", "", Refusal{Blocked, "data_inspection_failed", false}},
		{500, "ResponseTimeout", "", Refusal{Service, "ResponseTimeout", true}},
		{0, "SERVER_ERROR", "", Refusal{Service, "SERVER_ERROR", true}},
		{0, "MODEL_ERROR", "", Refusal{Service, "MODEL_ERROR", true}},
		{500, "InternalError.Timeout", "", Refusal{Service, "InternalError.Timeout", true}},
		{503, "", "", Refusal{Service, "http_503", true}},
		{0, "GenerateFailed", "", Refusal{Service, "GenerateFailed", true}}, // no rate limit
		{0, "", "", Refusal{Service, "", true}},
		{418, "NoSuchCode", "", Refusal{Configuration, "NoSuchCode", false}},
	} {
		if got := Classify(tt.status, tt.code, tt.message); got != tt.want {
			t.Errorf("%d %q %q: %+v, want %+v", tt.status, tt.code, tt.message, got, tt.want)
		}
	}
}

func TestCode(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Throttling.RateQuota": "Throttling.RateQuota", "a-b_C.9": "a-b_C.9",
		"two words": "", "line\nbreak": "", "näh": "", `"`: "", "\xff": "",
		strings.Repeat("x", 64): strings.Repeat("x", 64), strings.Repeat("x", 65): "",
	} {
		if got := Code(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// Neither what a service says nor a code that is none gets into the failure.
func TestFailureHoldsNoForeignText(t *testing.T) {
	for _, code := range []string{"sentinel text", "sentinel\n", "sentinel" + strings.Repeat("x", 64), "sentinel…"} {
		for _, status := range []int{0, 400, 401, 429, 500} {
			f := Classify(status, code, "sentinel").Failure("beijing")
			if strings.Contains(f.Error()+f.Code+f.Hint+f.Kind, "sentinel") {
				t.Errorf("%d %q: %+v", status, code, f)
			}
			if f.Code == "" || engine.Code(f.Code) != f.Code || engine.KnownKind(f.Kind) != f.Kind {
				t.Errorf("%d %q: kind %q, code %q", status, code, f.Kind, f.Code)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	for kind := range meanings {
		f := Refusal{Kind: kind, Code: "X"}.Failure("")
		var status *cli.Error
		if !errors.As(f, &status) || status.Status == cli.StatusOK || !strings.HasSuffix(f.Error(), "(X)") {
			t.Errorf("%s: %v", kind, f)
		}
	}
	for _, k := range []Kind{Authentication, Permission, Billing} {
		if f := (Refusal{Kind: k}).Failure(""); f.Kind != engine.Auth || cli.StatusOf(f) != cli.StatusNoPerm {
			t.Errorf("%s: %s, %d", k, f.Kind, cli.StatusOf(f))
		}
	}
}

// A12: a key that one region does not know may be one of the other.
func TestA12KeyHintNamesTheOtherRegion(t *testing.T) {
	for region, other := range map[string]string{"beijing": `"singapore"`, "singapore": `"beijing"`, "": ""} {
		hint := Classify(401, "InvalidApiKey", "").Failure(region).Hint
		if hint == "" || !strings.Contains(hint, other) || region != "" && strings.Contains(hint, `"`+region+`"`) || region == "" && strings.Contains(hint, "region") {
			t.Errorf("%q: %q", region, hint)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, "BadRequest.TooLarge", "x")
	f.Add(0, "CLIENT_ERROR", "request timeout after 23 seconds.")
	f.Fuzz(func(t *testing.T, status int, code, message string) {
		r := Classify(status, code, message)
		if _, known := meanings[r.Kind]; !known {
			t.Errorf("kind %q", r.Kind)
		}
		if len(r.Code) > maxCode || engine.Code(r.Code) != r.Code {
			t.Errorf("code %q", r.Code)
		}
	})
}
