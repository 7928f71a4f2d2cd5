package supervise

import "time"

// Phase is where a dictation stands.
type Phase string

// The phases in their order.
const (
	Idle        Phase = "idle"
	Arming      Phase = "arming"    // the microphone is being opened
	Recording   Phase = "recording" // samples arrive
	Recognizing Phase = "recognizing"
	Refining    Phase = "refining"
	Delivering  Phase = "delivering"
)

var phases = []Phase{Idle, Arming, Recording, Recognizing, Refining, Delivering}

// Command is what the user asks for.
type Command string

// The commands of "voice-input record", and deliver, which is that of
// "voice-input history".
const (
	Start      Command = "start"
	Stop       Command = "stop"
	Toggle     Command = "toggle"
	Press      Command = "press"   // the key of push-to-talk goes down
	Release    Command = "release" // and up
	Cancel     Command = "cancel"
	UndoCancel Command = "undo-cancel"
	Restart    Command = "restart"
	Retry      Command = "retry"
	Repeat     Command = "repeat"
	Deliver    Command = "deliver"
)

var commands = []Command{Start, Stop, Toggle, Press, Release, Cancel, UndoCancel, Restart, Retry, Repeat, Deliver}

// Action is what a command does in a phase.
type Action string

// The actions.
const (
	Begin   Action = "begin"   // a new take
	Finish  Action = "finish"  // stop recording and recognise
	Discard Action = "discard" // end the take without its text; retry brings it back
	Renew   Action = "renew"   // discard, then begin, as one step
	Again   Action = "again"   // recognise the newest take that was not delivered
	Undo    Action = "undo"    // recognise the take that was cancelled last
	Resend  Action = "resend"  // deliver a text that is known already
	Key     Action = "key"     // decided by how the key is held; see hold
	Latch   Action = "latch"   // a short press: record on until the next one
	Same    Action = "same"    // already so; the reply names the take
	Nothing Action = "nothing" // there is nothing to act on
	Bounced Action = "bounced" // too soon after the last press to be meant
	Busy    Action = "busy"    // refused: a take is being finished
	TooLate Action = "too_late"
)

// actions is the whole table. A press while a take is being finished is
// refused rather than kept for later: by then the user may look elsewhere.
var actions = map[Phase]map[Command]Action{
	Idle: {
		Start: Begin, Stop: Nothing, Toggle: Begin, Press: Begin, Release: Nothing,
		Cancel: Nothing, UndoCancel: Undo, Restart: Nothing, Retry: Again, Repeat: Resend, Deliver: Resend,
	},
	Arming: {
		Start: Same, Stop: Finish, Toggle: Finish, Press: Key, Release: Key,
		Cancel: Discard, UndoCancel: Busy, Restart: Renew, Retry: Busy, Repeat: Busy, Deliver: Busy,
	},
	Recording: {
		Start: Same, Stop: Finish, Toggle: Finish, Press: Key, Release: Key,
		Cancel: Discard, UndoCancel: Busy, Restart: Renew, Retry: Busy, Repeat: Busy, Deliver: Busy,
	},
	Recognizing: {
		Start: Busy, Stop: Same, Toggle: Busy, Press: Busy, Release: Same,
		Cancel: Discard, UndoCancel: Busy, Restart: Renew, Retry: Busy, Repeat: Busy, Deliver: Busy,
	},
	Refining: {
		Start: Busy, Stop: Same, Toggle: Busy, Press: Busy, Release: Same,
		Cancel: Discard, UndoCancel: Busy, Restart: Renew, Retry: Busy, Repeat: Busy, Deliver: Busy,
	},
	Delivering: {
		Start: Busy, Stop: Same, Toggle: Busy, Press: Busy, Release: Same,
		Cancel: TooLate, UndoCancel: Busy, Restart: Busy, Retry: Busy, Repeat: Busy, Deliver: Busy,
	},
}

// Decide returns what a command does in a phase; an unknown command gives "".
func Decide(p Phase, c Command) Action { return actions[p][c] }

// hold is the key of push-to-talk during a take. A take that another command
// began has the zero value.
type hold struct {
	down  bool      // it is held
	since time.Time // when it went down
}

// press says what the key's going down does while recording: a key that is
// held repeats itself, any other press ends the take.
func (h hold) press() Action {
	if h.down {
		return Same
	}
	return Finish
}

// release says what the key's going up does while recording. A release that
// has no press is that of the press which ended the take before, or which
// ended nothing. A key held for less than tap was tapped.
func (h hold) release(now time.Time, tap time.Duration) Action {
	switch {
	case !h.down:
		return Same
	case now.Sub(h.since) < tap:
		return Latch
	}
	return Finish
}

// bounced tells whether a press comes so soon after the one before it that it
// is the same movement of the same key. A clock that was set back has none.
func bounced(last, now time.Time) bool {
	since := now.Sub(last)
	return since >= 0 && since < debounce
}
