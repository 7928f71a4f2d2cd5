//go:build !race

package refine

const raced = false
