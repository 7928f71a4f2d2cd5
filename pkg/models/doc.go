// Package models fetches and finds the files that a local recogniser needs.
//
// What can be fetched is a manifest, share/models.toml, that names for every
// file its address, its size and its SHA-256. A model lies in
// $XDG_DATA_HOME/voice-input/models/NAME and that directory exists only when
// every file in it has been checked: until then the files lie in
// .NAME.part beside it, where an interrupted download goes on.
//
// Nothing is fetched unless a person asks for it by name.
package models
