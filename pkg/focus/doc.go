// Package focus finds out what the user is looking at: the focused window,
// the terminal in it, the pane of a multiplexer in that, and the coding agent
// that runs there in the foreground.
//
// A Looker asks one after the other, within one deadline:
//
//	desktop      the compositor or X server, over its socket    desktop.go
//	terminal     Kitty over its socket, others by /proc         kitty.go, terminal.go
//	multiplexer  tmux, by its own client                        tmux.go
//	agent        the foreground group of the terminal           agent.go
//
// It never guesses. Each step needs one answer; where there is none, or more
// than one, the record says which word of wire.AgentReasons applies. Names of
// processes are compared as a whole.
//
// Window titles and environments are looked at as little as possible and are
// never kept, printed, logged or explained.
package focus
