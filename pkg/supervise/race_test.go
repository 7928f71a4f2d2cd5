//go:build race

package supervise

var buildFlags = []string{"-race"}

// rssMayGrow is how much more memory a daemon may have after a soak, in MB. The
// race detector keeps a shadow of all that was ever used.
const rssMayGrow = 60
