// Package fakellm is a chat service on the loopback interface that checks
// every request strictly and misbehaves on demand. It is the other side of the
// tests of vi-refine; "just fake-llm" runs it by hand.
//
// The name of the model says what it does: "fake/edit" edits well, "fake/NAME"
// has the Fault of that name, and "fake/NAME/once" has it only as long as the
// question carries terms, so that a second attempt goes well.
package fakellm
