package readme

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the screenshot's description says is to be seen there is what the README
// says; tests/screenshot wrote it when it had seen it.
func TestScreenshot(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(root, "docs/kitty.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	if len(file) > 200<<10 {
		t.Errorf("the screenshot has %d bytes", len(file))
	}
	key := []byte("tEXtDescription\x00")
	at := bytes.Index(file, key)
	if at < 4 {
		t.Fatal("the screenshot has no description: make it by tests/screenshot")
	}
	length := int(binary.BigEndian.Uint32(file[at-4:]))
	text := string(file[at+len(key) : at+4+length])
	for _, name := range []string{"README.md", "README.zh.md"} {
		if !strings.Contains(strings.Join(read(t, name).lines, "\n"), "`"+text+"`") {
			t.Errorf("%s does not say that %q stands in the screenshot", name, text)
		}
	}
}

// pipeline returns the drawing of the programs.
func pipeline(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "docs/pipeline.svg"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The drawing is well formed, has each program once, and none that is not there.
func TestPipeline(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(pipeline(t)))
	drawn := map[string]int{}
	class := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			class = ""
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					class = a.Value
				}
			}
		case xml.CharData:
			if strings.HasPrefix(class, "name") && strings.TrimSpace(string(e)) != "" {
				drawn[string(e)]++
			}
			class = ""
		}
	}
	for name := range commands {
		if drawn[name] != 1 {
			t.Errorf("%s is drawn %d times", name, drawn[name])
		}
	}
	for name := range drawn {
		if commands[name] == nil {
			t.Errorf("there is no program %s", name)
		}
	}
}

// luminance is the relative luminance of "#rrggbb" by WCAG 2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 24)
	if err != nil || len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	part := func(shift uint) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// The drawing can be read on a light page and on a dark one: in both of its
// schemes each text has the contrast to its ground that WCAG 2 asks for, and
// it brings its ground with it.
func TestPipelineContrast(t *testing.T) {
	light, dark, found := strings.Cut(pipeline(t), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("the drawing has no dark scheme")
	}
	fill := regexp.MustCompile(`(?m)^ *(text|\.\w+) \{[^}]*fill: (#[0-9a-f]{6})`)
	colours := func(css string) map[string]string {
		out := map[string]string{}
		for _, m := range fill.FindAllStringSubmatch(css, -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	for scheme, c := range map[string]map[string]string{"light": colours(light), "dark": colours(dark)} {
		for _, pair := range [][2]string{{"text", ".ground"}, {"text", ".box"}, {"text", ".private"}, {".small", ".ground"}, {".small", ".box"}, {".small", ".private"}, {".says", ".ground"}, {".says", ".private"}} {
			a, b := luminance(t, c[pair[0]]), luminance(t, c[pair[1]])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.1f", scheme, pair[0], pair[1], ratio)
			}
		}
	}
}
