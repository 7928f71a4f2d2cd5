package supervise

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

// The commands of "voice-input record".
const (
	Start   Command = "start"
	Stop    Command = "stop"
	Toggle  Command = "toggle"
	Cancel  Command = "cancel"
	Restart Command = "restart"
	Retry   Command = "retry"
)

var commands = []Command{Start, Stop, Toggle, Cancel, Restart, Retry}

// Action is what a command does in a phase.
type Action string

// The actions.
const (
	Begin   Action = "begin"   // a new take
	Finish  Action = "finish"  // stop recording and recognise
	Discard Action = "discard" // end the take without its text; retry brings it back
	Renew   Action = "renew"   // discard, then begin, as one step
	Again   Action = "again"   // recognise the newest take that was not delivered
	Same    Action = "same"    // already so; the reply names the take
	Nothing Action = "nothing" // there is nothing to act on
	Busy    Action = "busy"    // refused: a take is being finished
	TooLate Action = "too_late"
)

// actions is the whole table. A press while a take is being finished is
// refused rather than kept for later: by then the user may look elsewhere.
var actions = map[Phase]map[Command]Action{
	Idle:        {Start: Begin, Stop: Nothing, Toggle: Begin, Cancel: Nothing, Restart: Nothing, Retry: Again},
	Arming:      {Start: Same, Stop: Finish, Toggle: Finish, Cancel: Discard, Restart: Renew, Retry: Busy},
	Recording:   {Start: Same, Stop: Finish, Toggle: Finish, Cancel: Discard, Restart: Renew, Retry: Busy},
	Recognizing: {Start: Busy, Stop: Same, Toggle: Busy, Cancel: Discard, Restart: Renew, Retry: Busy},
	Refining:    {Start: Busy, Stop: Same, Toggle: Busy, Cancel: Discard, Restart: Renew, Retry: Busy},
	Delivering:  {Start: Busy, Stop: Same, Toggle: Busy, Cancel: TooLate, Restart: Busy, Retry: Busy},
}

// Decide returns what a command does in a phase; an unknown command gives "".
func Decide(p Phase, c Command) Action { return actions[p][c] }
