package wire

// SchemaHistory is the schema of what was dictated.
const SchemaHistory = "vi.history/1"

// History is vi.history/1: a line of the history. One is written before a text
// is delivered; a second one with the same id and a Delivery in place of the
// text tells what became of it. What is listed has both in one.
type History struct {
	Header
	ID string `json:"id"` // of the take
	At string `json:"at"` // RFC 3339 with zone: when the line was written
	// Transcript is the text as it was recognised, Text as it was to be
	// delivered.
	Transcript string `json:"transcript,omitempty"`
	Text       string `json:"text,omitempty"`
	Engine     string `json:"engine,omitempty"` // who recognised
	// Style, Outcome and Review are those of vi.refine/1, OutcomeReason is its
	// reason.
	Style         string           `json:"style,omitempty"`
	Outcome       string           `json:"outcome,omitempty"`
	OutcomeReason string           `json:"outcome_reason,omitempty"`
	Review        *Review          `json:"review,omitempty"`
	Delivery      *HistoryDelivery `json:"delivery,omitempty"`
}

// HistoryDelivery is what a vi.delivery/1 record said.
type HistoryDelivery struct {
	Delivered bool   `json:"delivered"`
	Driver    string `json:"driver,omitempty"`
	Reason    string `json:"reason"`
}

// SchemaName implements Record.
func (*History) SchemaName() string { return SchemaHistory }
