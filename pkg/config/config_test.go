package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voice-input/pkg/cli"
)

func TestParseProblems(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"comment", "# nothing\n", nil},
		{"byte order mark", "\ufeff[audio]\nsource = \"mic\"\n", nil},
		{"every form of a key", "asr.engine = \"x\"\ndeliver = { to = \"stdout\" }\n[audio]\nsource = 'mic'\n", nil},
		{"unknown section", "[sound]\n", []string{`1: [sound]: unknown section`}},
		{"misspelt section", "[audoi]\nsource = \"x\"\n", []string{`1: [audoi]: unknown section; did you mean audio?`, `2: [audoi].source: unknown section; did you mean audio?`}},
		{"unknown key", "[audio]\n\nvolume = 3\n", []string{`3: [audio].volume: unknown key`}},
		{"misspelt key", "[audio]\nsorce = \"x\"\n", []string{`2: [audio].sorce: unknown key; did you mean source?`}},
		{"key without section", "engine = \"x\"\n", []string{`1: [engine]: unknown section`}},
		{"section as key", "audio = 1\n", []string{`1: [audio]: is a section, write it as [audio]`}},
		{"array of sections", "[[audio]]\n", []string{`1: [audio]: is a section, write it as [audio]`}},
		{"section below a key", "[audio.source]\nx = 1\n", []string{`1: [audio].source: needs a string`, `2: [audio].source.x: unknown key`}},
		{"in an inline table", "audio = { sorce = \"x\" }\n", []string{`1: [audio].sorce: unknown key; did you mean source?`}},
		{"string for integer", "[audio]\nstall_ms = \"5\"\n", []string{`2: [audio].stall_ms: needs an integer`}},
		{"float for integer", "[audio]\nstall_ms = 5.5\n", []string{`2: [audio].stall_ms: needs an integer`}},
		{"integer for string", "[audio]\nsource = 5\n", []string{`2: [audio].source: needs a string`}},
		{"string for boolean", "[llm]\nagent_context_enabled = \"yes\"\n", []string{`2: [llm].agent_context_enabled: needs true or false`}},
		{"boolean", "[llm]\nagent_context_enabled = true\n", nil},
		{"string for array", "[stages]\nasr = \"x\"\n", []string{`2: [stages].asr: needs an array of strings`}},
		{"mixed array", "[stages]\nasr = [\"x\", 1]\n", []string{`2: [stages].asr: needs an array of strings`}},
		{"empty program", "[stages]\nasr = [\"\"]\n", []string{`2: [stages].asr: needs the name of a program first`}},
		{"below the range", "[audio]\nstall_ms = 499\n", []string{`2: [audio].stall_ms: needs a value from 500 to 60000`}},
		{"above the range", "[audio]\nmax_duration_ms = 3600001\n", []string{`2: [audio].max_duration_ms: needs a value from 1000 to 3600000`}},
		{"at the bounds", "[audio]\nstall_ms = 500\nmax_duration_ms = 3600000\n", nil},
		{"not in the list", "[deliver]\nto = \"window\"\n", []string{`2: [deliver].to: needs one of auto, kitty, tmux, hyprland, wayland, x11, type, clipboard, command, stdout`}},
		{"class", "[deliver.class.foot]\npaste = \"shift+insert\"\nsubmit = true\n[deliver.class.\"org.gnome.Console\"]\nto = \"clipboard\"\n", nil},
		{"class in other forms", "deliver.class.a.submit = true\n[deliver.class.b]\nto = \"type\"\n", nil},
		{"class in a table", "[deliver.class]\na.submit = true\nb = { to = \"type\", paste = \"\" }\n", nil},
		{"class misspelt", "[deliver.clas.foot]\nsubmit = true\n", []string{`1: [deliver].clas.foot: unknown key`, `2: [deliver].clas.foot.submit: unknown key`}},
		{"class no section", "[deliver]\nclass = 5\n", []string{`2: [deliver].class: is a section for each, write it as [deliver.class.NAME]`}},
		{"class array of sections", "[[deliver.class.foot]]\nsubmit = true\n", []string{`1: [deliver.class.foot]: is a section, write it as [deliver.class.foot]`}},
		{"class with a string", "[deliver.class]\nfoot = \"wayland\"\n", []string{`2: [deliver.class.foot]: is a section, write it as [deliver.class.foot]`}},
		{"class misspelt key", "[deliver.class.\"a.b\"]\nsubmti = true\n", []string{`2: [deliver.class."a.b"].submti: unknown key; did you mean submit?`}},
		{"class deeper", "[deliver.class.foot.paste]\nx = 1\n", []string{`1: [deliver.class.foot].paste: needs a string`, `2: [deliver.class.foot].paste.x: unknown key`}},
		{"class wrong kind", "[deliver.class.foot]\nsubmit = 1\n", []string{`2: [deliver.class.foot].submit: needs true or false`}},
		{"class wrong values", "[deliver.class.foot]\npaste = \"hyper+v\"\nto = \"fax\"\n[deliver.class.\"a.b\"]\npaste = \"ctrl\"\n", []string{
			`2: [deliver.class.foot].paste: needs a key, with ctrl, shift, alt or super before it, such as ctrl+shift+v`,
			`3: [deliver.class.foot].to: needs one of auto, kitty, tmux, hyprland, wayland, x11, type, clipboard, command, stdout`,
			`5: [deliver.class."a.b"].paste: needs a key, with ctrl, shift, alt or super before it, such as ctrl+shift+v`,
		}},
		{"class twice", "[deliver.class.foot]\n[deliver.class.foot]\n", []string{`2: table foot already exists`}},
		{"service", "[asr.service.groq]\nprotocol = \"openai\"\nurl = \"https://api.groq.com/openai\"\nheartbeat = false\nspeech_noise_threshold = \"-0.5\"\n", nil},
		{"service's wrong values", "[asr.service.x]\nprotocol = \"soap\"\nurl = \"http://example.com\"\nspeech_noise_threshold = \"2\"\nvad_threshold = \"low\"\nnative_url = \"https://a:b@example.com\"\nconnect_timeout_ms = 0\nheartbeat = 1\n", []string{`8: [asr.service.x].heartbeat: needs true or false`}},
		{"service's values out of range", "[asr.service.x]\nprotocol = \"soap\"\nurl = \"http://example.com\"\nspeech_noise_threshold = \"2\"\nvad_threshold = \"low\"\nconnect_timeout_ms = 0\n", []string{
			`2: [asr.service.x].protocol: needs one of qwen-audio3, qwen3-realtime, openai, whisper-server`,
			`3: [asr.service.x].url: is http, which anybody on the way can read; only https and wss may leave this machine`,
			`4: [asr.service.x].speech_noise_threshold: needs a number from -1 to 1, in quotes`,
			`5: [asr.service.x].vad_threshold: needs a number from -1 to 1, in quotes`,
			`6: [asr.service.x].connect_timeout_ms: needs a value from 100 to 120000`,
		}},
		{"history", "[history]\nenabled = false\nmax_entries = 1\nmax_age_hours = 8760\n", nil},
		{"history's wrong values", "[history]\nmax_entries = 0\nmax_age_hours = 8761\n", []string{`2: [history].max_entries: needs a value from 1 to 10000`, `3: [history].max_age_hours: needs a value from 1 to 8760`}},
		{"history's wrong kinds", "[history]\nenabled = 1\nmax_entry = 5\n", []string{`2: [history].enabled: needs true or false`, `3: [history].max_entry: unknown key`}},
		{"feedback", "[feedback]\nnotifications = \"all\"\nsounds = true\n", nil},
		{"feedback's wrong values", "[feedback]\nnotifications = \"some\"\n", []string{`2: [feedback].notifications: needs one of off, errors, all`}},
		{"share", "[llm]\nmax_change = \"-0.1\"\n", []string{`2: [llm].max_change: needs a number from 0 to 1, in quotes`}},
		{"key command", "[llm]\napi_key_command = [\"\"]\n", []string{`2: [llm].api_key_command: needs the name of a program first`}},
		{"empty command", "[deliver]\ncommand = [\"\"]\n", []string{`2: [deliver].command: needs the name of a program first`}},
		{"control character", "[audio]\nsource = \"a\\nb\"\n", []string{`2: [audio].source: holds a control character`}},
		{"too long", "[audio]\nsource = \"" + strings.Repeat("x", 4097) + "\"\n", []string{`2: [audio].source: is longer than 4096 bytes`}},
		{"all at once", "[deliver]\nto = \"window\"\n[audio]\nstall_ms = 1\n", []string{`2: [deliver].to: needs one of auto, kitty, tmux, hyprland, wayland, x11, type, clipboard, command, stdout`, `4: [audio].stall_ms: needs a value from 500 to 60000`}},
		{"syntax", "[audio]\nsource = \n", []string{`2: unexpected character U+000A at start of value`}},
		{"twice", "[audio]\nstall_ms = 500\nstall_ms = 600\n", []string{`3: key stall_ms is already defined`}},
		{"integer too large", "[audio]\nstall_ms = 99999999999999999999\n", []string{`2: decimal number is too large to fit in a 64-bit signed integer`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Parse([]byte(tt.in))
			var got []string
			for _, p := range problems {
				got = append(got, p.String())
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
		})
	}
}

func TestParseFillsDefaults(t *testing.T) {
	cfg, problems := Parse([]byte("[audio]\nsource = \"mic\"\n[stages]\nrefine = [\"cat\", \"-u\"]\n"))
	want := Default()
	want.Audio.Source = "mic"
	want.Stages.Refine = []string{"cat", "-u"}
	if problems != nil || !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v, %v\nwant %+v", cfg, problems, want)
	}
}

// Every default passes its own check, and what Show prints reads back.
func TestShowRoundTrip(t *testing.T) {
	odd := Default()
	odd.Audio.Source = `a "quoted" \ back`
	odd.Stages.Type = []string{"x", "说"}
	odd.Deliver.Class = map[string]Class{"foot": {Paste: "shift+insert", Submit: true}, "org.\"x\"": {To: "clipboard"}}
	service := Service{}.Defaults()
	service.URL, service.Heartbeat, service.SpeechNoiseThreshold = "https://example.com/v1", false, "-0.25"
	odd.ASR.Service = map[string]Service{"mine": service, "openai": Service{}.Defaults()}
	for _, cfg := range []Config{Default(), odd} {
		var b bytes.Buffer
		if err := Show(&b, cfg); err != nil {
			t.Fatal(err)
		}
		got, problems := Parse(b.Bytes())
		emptyToNil(reflect.ValueOf(&got).Elem())
		emptyToNil(reflect.ValueOf(&cfg).Elem())
		if problems != nil || !reflect.DeepEqual(got, cfg) {
			t.Errorf("got %+v, %v\nwant %+v\n%s", got, problems, cfg, b.String())
		}
	}
}

// emptyToNil makes empty arrays nil: [] and absent mean the same.
func emptyToNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			emptyToNil(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			emptyToNil(e)
			v.SetMapIndex(k, e)
		}
	}
}

// A section for one of many things has its defaults, however it is written.
func TestServiceDefaults(t *testing.T) {
	want := Service{}.Defaults()
	want.Model = "m"
	for _, in := range []string{"[asr.service.x]\nmodel = \"m\"\n", "asr.service.x.model = \"m\"\n", "[asr]\nservice = { x = { model = \"m\" } }\n", "[asr.service]\nx.model = \"m\"\n"} {
		cfg, problems := Parse([]byte(in))
		if problems != nil || !reflect.DeepEqual(cfg.ASR.Service["x"], want) {
			t.Errorf("%q: %+v, %v", in, cfg.ASR.Service, problems)
		}
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	for _, k := range Keys() {
		if k.Doc == "" || k.Name == "" || k.Section == "" {
			t.Errorf("%s lacks a tag", k)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	getenv := func(k string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[k] }
	if cfg, err := Load("", getenv); err != nil || !reflect.DeepEqual(cfg, Default()) {
		t.Errorf("no file: %+v, %v", cfg, err)
	}
	if _, err := Load(filepath.Join(dir, "none.toml"), getenv); cli.StatusOf(err) != cli.StatusNoInput {
		t.Errorf("named file missing: %v", err)
	}
	if _, err := Load(dir, getenv); cli.StatusOf(err) != cli.StatusConfig {
		t.Errorf("a directory: %v", err)
	}
	bad := filepath.Join(dir, "bad.toml")
	os.WriteFile(bad, []byte("[audio]\nsorce = \"private\"\n"), 0o600)
	_, err := Load(bad, getenv)
	if want := bad + ":2: [audio].sorce: unknown key; did you mean source?"; err == nil || err.Error() != want || cli.StatusOf(err) != cli.StatusConfig {
		t.Errorf("got %v, want %s", err, want)
	}
	big := filepath.Join(dir, "big.toml")
	os.WriteFile(big, bytes.Repeat([]byte("#\n"), 1<<19+1), 0o600)
	var e *cli.Error
	if _, err := Load(big, getenv); !errors.As(err, &e) || e.Status != cli.StatusConfig {
		t.Errorf("too large: %v", err)
	}
}

func TestChord(t *testing.T) {
	for s, want := range map[string]bool{
		"v": true, "ctrl+v": true, "ctrl+shift+v": true, "shift+insert": true, "super+alt+f12": true,
		"": false, "ctrl": false, "ctrl+": false, "+v": false, "ctrl+ctrl+v": false, "v+ctrl": false, "Ctrl+V": false, "ctrl-v": false, "ctrl+v,x": false, "ctrl+ v": false,
	} {
		if got := isChord(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[audio]\nsource = \"x\"\nstall_ms = 1\n"))
	f.Add([]byte("audio = { sorce = [1, [2]] }\n[[a.b]]\nc.d = 1979-05-27\n"))
	f.Add([]byte("\"\" = 1\n[\"\"]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, problems := Parse(data)
		if problems != nil {
			return
		}
		for _, k := range Keys() {
			for _, s := range k.settings(cfg) {
				if why := k.check(s.value); why != "" {
					t.Errorf("accepted: %s %s", k, why)
				}
			}
		}
	})
}
