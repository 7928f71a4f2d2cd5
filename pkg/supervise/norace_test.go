//go:build !race

package supervise

var buildFlags []string

// rssMayGrow is how much more memory a daemon may have after a soak, in MB: what
// the collector leaves from one time to the next.
const rssMayGrow = 4
