package wire

// Records returns an empty record of every schema, in the order in which the
// pipeline makes them.
func Records() []Record {
	return []Record{
		&Focus{}, &Session{}, &Terms{},
		&Capture{}, &CaptureSource{}, &Take{}, &ASR{}, &Engine{},
		&Transcript{}, &Refine{}, &Delivery{}, &History{},
		&Diagnostics{}, &Check{}, &Control{}, &Reply{}, &Status{},
	}
}
