package cli

import "runtime/debug"

// version is set at link time: -X voice-input/pkg/cli.version=1.2.3
var version string

// Version returns the version of the programs: the one set at link time, else
// the one the module was built at, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
