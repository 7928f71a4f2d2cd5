// Package audio turns what a person or a program pipes into a recogniser into
// the one form that recognisers take: signed 16 bit, little endian, mono,
// 16 kHz. It works on a stream: nothing is read ahead but what is needed to
// tell a WAV file from bare samples.
package audio
