package redact

import "math/rand/v2"

// EachPlanted calls f with secrets of every shape in every surrounding.
func EachPlanted(f func(name, secret, text string)) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range shapes {
		for range 3 {
			secret, carrier := shape.make(r)
			for _, s := range surroundings {
				f(shape.name+" / "+s.name, secret, plant(s.form, carrier))
			}
		}
	}
}

// Leaked returns the first piece of a secret that is in text.
var Leaked = leaked
