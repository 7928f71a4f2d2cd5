package redact

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// gone runs texts in each of which one thing must go and others must stay.
func gone(t *testing.T, tests []removal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Text(tt.text)
			for secret := range strings.FieldsSeq(tt.gone) {
				if strings.Contains(got.Text, secret) {
					t.Errorf("%q is left in %q", secret, got.Text)
				}
			}
			for word := range strings.FieldsSeq(tt.stay) {
				if !strings.Contains(got.Text, word) {
					t.Errorf("%q is not in %q", word, got.Text)
				}
			}
			if again := Text(got.Text); !reflect.DeepEqual(again, got) {
				t.Errorf("a second time %q becomes %q", got.Text, again.Text)
			}
		})
	}
}

// A removal is a text, and what must go and stay, each a list of words.
type removal struct{ name, text, gone, stay string }

// TestTrial_R1 is about keys with dots and keys without a prefix.
func TestTrial_R1(t *testing.T) {
	dotted := "sk-" + "sp-ABCDEFGH12345678." + "abcdefgh12345678_XYZ"
	idSecret := "50aaed" + "8b3c9d4e5f60718293a4b5cabc" + ".ZpSh99xy"
	for _, text := range []string{"the key " + dotted + ".", "用 " + dotted + "。", "then " + idSecret + ".", "(" + idSecret + ")"} {
		got := Text(text).Text
		for _, secret := range []string{dotted, idSecret} {
			for i := 0; i+6 <= len(secret); i++ {
				if strings.Contains(got, secret[i:i+6]) {
					t.Errorf("%q leaves %q in %q", text, secret[i:i+6], got)
					break
				}
			}
		}
		if last := text[len(text)-1:]; !strings.HasSuffix(got, last) {
			t.Errorf("%q loses its end: %q", text, got)
		}
	}
}

// TestTrial_R3 is about the body of a key block.
func TestTrial_R3(t *testing.T) {
	line := "MIIEowIBAAKCAQEA" + "z7p3Xq9vRt2mKc8LwYd5sNf0hGj4bUe1oTi6PkZyWxVn"
	for _, eol := range []string{"\n", `\n`} {
		block := "-----BEGIN RSA " + "PRIVATE KEY-----" + eol + strings.Repeat(line+eol, 5) + "-----END RSA " + "PRIVATE KEY-----"
		for _, text := range []string{block, `{"privateKey": "` + block + `"}`} {
			got := Text(text).Text
			for i := 0; i+16 <= len(line); i++ {
				if strings.Contains(got, line[i:i+16]) {
					t.Fatalf("a piece of the body is left in %q", got)
				}
			}
		}
	}
}

// TestTrial_R4 is about the forms of the shell.
func TestTrial_R4(t *testing.T) {
	gone(t, []removal{
		{"assignment before a command", "CLIENT_SECRET=abcd1234efgh ./deploy", "abcd1234efgh", ""},
		{"assignment after others", "TZ=UTC CLIENT_SECRET=abcd1234efgh ./deploy", "abcd1234efgh", "TZ=UTC ./deploy"},
		{"pipe", "printf 'v9q' | gh secret set X", "v9q", "gh secret set X"},
		{"one letter", "printf 'v' | gh secret set X", "'v'", "gh secret set X"},
		{"user option", "curl -u user:pw https://example.org", "user:pw", "curl https://example.org"},
		{"header", "curl -H 'X-Api-Key: abcd' https://example.org", "abcd", "X-Api-Key https://example.org"},
	})
}

// TestTrial_R6 is about the words that must survive.
func TestTrial_R6(t *testing.T) {
	sha, id := strings.Repeat("3f2a9c1d", 5), "123e4567-e89b-12d3-a456-426614174000"
	gone(t, []removal{
		{"prose", "用 golang.org/x/time/rate 的 token bucket，max_tokens=4096，cookie parser 放到 middleware", "", "golang.org/x/time/rate max_tokens middleware bucket cookie"},
		{"prefixes inside words", "task-runner-v2, disk-cache-size, risk-free, task-12", "", "task-runner-v2 disk-cache-size risk-free task-12"},
		{"bearer", "Bearer token 流程", "", "Bearer token 流程"},
		{"ids", "am_9f8e7d6c5b4a39281706 is the run", "", "am_9f8e7d6c5b4a39281706 is the run"},
		{"commit", "commit " + sha + " fixes vi-terms", "", "commit fixes vi-terms"},
		{"uuid", "request " + id + " reaches vi-asr", "", "request reaches vi-asr"},
	})
}

// TestRule_I1_PeerLeaks has the texts that the closest peer let through.
func TestRule_I1_PeerLeaks(t *testing.T) {
	key := "sk-" + "Ab3dEf6hIj9kLm2n"
	gone(t, []removal{
		{"space before the sign", "password = x9yz8w", "x9yz8w", ""},
		{"passwd", "passwd: x9yz8w", "x9yz8w", ""},
		{"dash", "Password - x9yz8w", "x9yz8w", ""},
		{"suffix", "secret_key=1", "=1", ""},
		{"short token", "token=abc", "abc", ""},
		{"no colon", "authorization Bearer x9yz8wab", "x9yz8wab", ""},
		{"space in the name", "api key: 5a6b7c8d", "5a6b7c8d", ""},
		{"quoted", "'" + key + "'", key, ""},
		{"in parentheses", "(" + key + ")", key, ""},
		{"after a key", "key:" + key, key, ""},
		{"20 bytes", key + "x", key, ""},
		{"github oauth", "gh" + "o_Ab3dEf6hIj9kLm2nOp5q", "Ab3dEf6h", ""},
		{"github user", "gh" + "u_Ab3dEf6hIj9kLm2nOp5q", "Ab3dEf6h", ""},
		{"gitlab", "gl" + "pat-Ab3dEf6hIj9kLm2nOp5q", "Ab3dEf6h", ""},
		{"slack", "xo" + "xa-2-Ab3dEf6hIj9kLm2nOp5q", "Ab3dEf6h", ""},
		{"google", "AI" + "zaSyAb3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z", "Ab3dEf6h", ""},
		{"aws", "AK" + "IAQWERTYUIOPASDFGH", "QWERTYUI", ""},
		{"database", "postgres://alice:" + "hunter2@db/app", "alice hunter2", "postgres db/app"},
		{"project key", "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5q", "proj Ab3dEf6h", ""},
		{"long file name", "a-file-name-that-goes-on-for-very-long-and-then-some-more-until-it-is-over-eighty-bytes.spec.test.ts", "", "a-file-name-that-goes-on-for-very-long-and-then-some-more-until-it-is-over-eighty-bytes.spec.test.ts"},
	})
	for _, text := range []string{"password = hunter22", "a " + key + " b"} {
		for _, word := range []string{"REDACTED", "SENSITIVE", "LINE"} {
			if strings.Contains(strings.ToUpper(Text(text).Text), word) {
				t.Errorf("the marker has words: %q", Text(text).Text)
			}
		}
	}
}

// TestRule_I1_WholeLines: an assignment goes with all of its line; in prose only the value goes.
func TestRule_I1_WholeLines(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"api_key: x9yz8w # rotated by alice", Marker},
		{"  \"password\": \"correct horse\",", "  " + Marker},
		{"export DB_PASSWORD='correct horse' # old", Marker},
		{"Authorization: Bearer x9yz8w7v6u5t", Marker},
		{"Cookie: sid=x9yz8w; theme=dark", Marker},
		{"password: correct horse battery staple", Marker},
		{"+  secret = \"x9yz8w\"", Marker},
		{"spring.datasource.password=x9yz8w", Marker},
		{"a\r\npassword=x9yz8w\r\nb", "a\r\n" + Marker + "\r\nb"},
		{"Use password: x9yz8w with `vi-asr`.", "Use password: " + Marker + " with `vi-asr`."},
		{"The token is `x9yz8w7v6u5t`, see `vi-asr`.", "The token is `" + Marker + "`, see `vi-asr`."},
		{"密码是 x9yz8w，见 `vi-asr`。", "密码是 " + Marker + "，见 `vi-asr`。"},
		{`{"token": "x9yz8w", "model": "qwen-audio-3"}`, `{"token": "` + Marker + `", "model": "qwen-audio-3"}`},
		{"Your API key:\n\n```\nx9yz8w7v6u5tab\n```\nDone with `vi-asr`.", "Your API key:\n\n```\n" + Marker + "\n```\nDone with `vi-asr`."},
		{"password: |\n  line one\n  line two\nuser: bob", "password: |\n  " + Marker + "\n  " + Marker + "\nuser: bob"},
		{"- name: DB_PASSWORD\n  value: x9yz8w\n- name: TZ", "- name: DB_PASSWORD\n  " + Marker + "\n- name: TZ"},
	} {
		if got := Text(tt.text).Text; got != tt.want {
			t.Errorf("%q\n\tgot  %q\n\twant %q", tt.text, got, tt.want)
		}
	}
}

// TestRule_I1_Disguises: neither look-alike letters nor invisible ones hide a secret.
func TestRule_I1_Disguises(t *testing.T) {
	key := "Ab3dEf6hIj9kLm2nOp5qRs8t"
	spread := strings.Join(strings.Split(key, ""), "\u200b")
	gone(t, []removal{
		{"cyrillic name", "р\u0430ssword: x9yz8w", "x9yz8w", ""},
		{"greek name", "t\u03bfken=x9yz8w", "x9yz8w", ""},
		{"full width", "ｐａｓｓｗｏｒｄ：x9yz8w", "x9yz8w", ""},
		{"mathematical", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝 = x9yz8w", "x9yz8w", ""},
		{"accents", "pässwörd = x9yz8w", "x9yz8w", ""},
		{"zero width in the name", "pass\u200bword=x9yz8w", "x9yz8w", ""},
		{"soft hyphen in the prefix", "s\u00adk-" + key, key, ""},
		{"cyrillic prefix", "ѕк-" + key, key, ""},
		{"zero width in the key", "sk-" + spread, spread, ""},
		{"byte order mark", "\ufeffsk-" + key, key, ""},
		{"direction marks", "\u202esk-" + key + "\u202c", key, ""},
		{"fancy hyphen", "sk\u2011" + key, key, ""},
		{"full-width key", "sk-" + strings.Map(func(r rune) rune { return r + 0xfee0 }, key), "Ａｂ３ｄ", ""},
		{"tags", "pass\U000e0001word=x9yz8w", "x9yz8w", ""},
		{"terminal colours", "\x1b[1mpass\x1b[0mword=x9yz8w", "x9yz8w", ""},
		{"escaped sign", `{"a":"password\u003dx9yz8w"}`, "x9yz8w", ""},
		{"escaped quotes", `"{\"password\":\"x9yz8w\"}"`, "x9yz8w", ""},
		{"twice escaped quotes", `"{\\\"password\\\":\\\"x9yz8w\\\"}"`, "x9yz8w", ""},
		{"percent", "q%3Dsk-" + key, key, ""},
	})
}

// TestRule_C4_WordsAroundSurvive: what is removed takes nothing with it.
func TestRule_C4_WordsAroundSurvive(t *testing.T) {
	gone(t, []removal{
		{"url", "open https://bob:x9yz8w@example.org/task-runner now", "bob x9yz8w", "https://█@example.org/task-runner now"},
		{"query", "https://example.org/v1?api_key=x9yz8w7v&lang=zh", "x9yz8w7v", "lang=zh"},
		{"two", "from sk-" + "Ab3dEf6hIj9kLm2n1 to ghp_" + "Ab3dEf6hIj9kLm2n1 via vi-asr", "Ab3dEf6h", "from to via vi-asr"},
	})
}

// TestSecret: a token has the shape of a secret exactly if Text would remove it.
func TestSecret(t *testing.T) {
	for token, want := range map[string]bool{
		"sk-" + "Ab3dEf6hIj9kLm2n1":      true,
		"Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy": true,
		"user:pw@localhost":              true,
		"task-runner":                    false,
		"qwen2.5-coder-32b-instruct":     false,
		"IPv6AddressPoolManagerV2":       false,
		"max_tokens":                     false,
		"":                               false,
		Marker:                           true,
	} {
		if got := Secret(token); got != want {
			t.Errorf("Secret(%q) = %v", token, got)
		}
	}
}

// TestTextIsValid: invalid text becomes valid, and nothing else of it changes.
func TestTextIsValid(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb":               "a\uFFFDb",
		"\xe5\xaf":             "\uFFFD",
		"pass\xffword=x9yz8w":  "pass\uFFFDword=x9yz8w",
		"password=x9\xffyz8w7": Marker,
		"":                     "",
		"a\x00b\r\n\t":         "a\x00b\r\n\t",
	} {
		got := Text(in).Text
		if got != want || !utf8.ValidString(got) {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}
