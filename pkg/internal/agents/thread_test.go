package agents

import "testing"

func TestThread(t *testing.T) {
	const id = "01a22e47-9836-7912-bd4f-a0ce4"
	for title, want := range map[string]string{
		"LONGTOOL #kt | proj | " + id + "...": id,
		"proj | " + id + "…":                  id,
		"proj | " + id + "0123456":            id + "0123456",
		id:                                    id,
		"about 11111111-2222-3333-4444-555555555555 | " + id: id,
		"proj | " + id[:28] + "...":                          "",
		"proj | " + id + "01234567":                          "",
		"proj | x" + id:                                      "",
		"proj | 01A22E47-9836-7912-BD4F-A0CE4":               "",
		"proj":                                               "",
		"":                                                   "",
		"rollout-2026-11-30T20-00-00-" + id:                  "",
		"汉字 " + id + "... 汉字":                                id,
	} {
		if got := Thread(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
	if IsUUID(id) || !IsUUID(id+"0123456") || IsUUID("") {
		t.Error("IsUUID")
	}
}

func FuzzThread(f *testing.F) {
	f.Add("proj | 01a22e47-9836-7912-bd4f-a0ce4...")
	f.Fuzz(func(t *testing.T, title string) {
		if got := Thread(title); got != "" && (Thread(got) != got || len(got) > uuidLen) {
			t.Errorf("%q: %q", title, got)
		}
	})
}
