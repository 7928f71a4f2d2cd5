//go:build !race

package review

const raced = false
