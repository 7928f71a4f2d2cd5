package fakellm

import "slices"

// Want is what has to come of a fault.
type Want int

// What may come of a fault.
const (
	Kept   Want = iota // the transcript
	Edited             // the good edit: the fault is no obstacle
	Either             // one or the other, for faults that can be repaired or not
)

// Fault is one way to misbehave.
type Fault struct {
	Name   string
	Trials []string // of the public bugs that it stands for
	Want   Want
	// Reason is the reason of a text that is kept; "" leaves it open.
	Reason string
	// Waits says that it lasts as long as the client does.
	Waits bool

	content func(q Question, edit string) string // the text, by a good service
	serve   func(*exchange)                      // or all of it
}

// Faults lists every fault. Their names are unique.
var Faults = slices.Concat(connectionFaults, statusFaults, bodyFaults, streamFaults, wrapperFaults, textFaults)
