// Package sound tells whether words may be one another misheard.
//
// A recogniser writes what it heard in the words it knows: a term of another
// language comes out as syllables of this one (杰森 for JSON), a name as
// ordinary words (cube control for kubectl), a word as one that sounds the
// same. The package compares spellings by what they sound like, roughly as an
// English or Chinese speaker would say them. It knows nothing of meaning.
//
// The readings of Chinese characters in syllables.txt are those of the Unihan
// database, without tones, for the characters of GB 2312 and the common ones
// of Big5; at most two of each character.
package sound
