//go:build race

package review

// raced says that the race detector is on. The corpora, which one goroutine
// goes through, take twenty times as long with it; the recipe test runs them
// without.
const raced = true
