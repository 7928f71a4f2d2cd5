//go:build race

package refine

// raced says that the race detector makes everything several times slower.
const raced = true
