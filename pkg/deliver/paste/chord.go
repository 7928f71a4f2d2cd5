package paste

import (
	"fmt"
	"strings"
)

// Key is a key of the keyboard by its three names.
type Key struct {
	Name string // of the keysym, as xkbcommon spells it: "v", "Insert"
	Sym  uint32 // the keysym
	Code uint8  // evdev code on a US keyboard; X11 and XKB add 8
}

// Chord is a key with the modifiers that are held with it.
type Chord struct {
	Mods Mods
	Key  Key
}

// Mods is a set of modifiers. The bits are those of the core protocol of X11
// and of XKB's real modifiers, which all desktops use.
type Mods uint8

// The modifiers that a chord may name.
const (
	Shift Mods = 1 << 0
	Ctrl  Mods = 1 << 2
	Alt   Mods = 1 << 3
	Super Mods = 1 << 6
)

// ModKey is the key that gives a modifier.
type ModKey struct {
	Mod  Mods
	Word string // as a chord spells it
	Key  Key
}

// ModKeys are the modifiers in the order in which they are pressed.
var ModKeys = []ModKey{
	{Ctrl, "ctrl", Key{"Control_L", 0xffe3, 29}},
	{Shift, "shift", Key{"Shift_L", 0xffe1, 42}},
	{Alt, "alt", Key{"Alt_L", 0xffe9, 56}},
	{Super, "super", Key{"Super_L", 0xffeb, 125}},
}

// Return is the key that submits.
var Return = Chord{Key: Key{"Return", 0xff0d, 28}}

// insert is Insert, the only key of a chord that is no letter.
var insert = Key{"Insert", 0xff63, 110}

// rows are the letters of a US keyboard with the code of the first of each.
var rows = map[uint8]string{16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}

// ParseChord reads a chord such as "ctrl+shift+v" or "Shift+Insert". The key
// is a letter or Insert; there is at least one modifier, for a key alone
// would be typed.
func ParseChord(s string) (Chord, error) {
	words := strings.Split(strings.ToLower(s), "+")
	var c Chord
	for _, w := range words[:len(words)-1] {
		m, ok := modifier(strings.TrimSpace(w))
		if !ok || c.Mods&m != 0 {
			return Chord{}, fmt.Errorf("bad paste key %q: %q is no modifier, or is there twice", s, w)
		}
		c.Mods |= m
	}
	name := strings.TrimSpace(words[len(words)-1])
	if name == "insert" || name == "ins" {
		c.Key = insert
	}
	for first, letters := range rows {
		if i := strings.Index(letters, name); i >= 0 && len(name) == 1 {
			c.Key = Key{name, uint32(name[0]), first + uint8(i)}
		}
	}
	switch {
	case c.Key == Key{}:
		return Chord{}, fmt.Errorf("bad paste key %q: %q is no letter and not insert", s, name)
	case c.Mods == 0:
		return Chord{}, fmt.Errorf("bad paste key %q: it needs a modifier", s)
	}
	return c, nil
}

func modifier(word string) (Mods, bool) {
	switch word {
	case "control":
		return Ctrl, true
	case "meta", "logo", "win":
		return Super, true
	}
	for _, m := range ModKeys {
		if m.Word == word {
			return m.Mod, true
		}
	}
	return 0, false
}

// Primary tells whether programs may paste the primary selection by the
// chord. Terminals do so by Shift+Insert (xterm, foot, Kitty); toolkits paste
// the clipboard by it. So both have to hold the text.
func (c Chord) Primary() bool { return c.Key == insert && c.Mods == Shift }

// Keys returns the keys in the order in which they are pressed.
func (c Chord) Keys() []Key {
	var keys []Key
	for _, m := range ModKeys {
		if c.Mods&m.Mod != 0 {
			keys = append(keys, m.Key)
		}
	}
	return append(keys, c.Key)
}
