package frame

// What the tests see that run whole programs.
const PipedHelp = pipedHelp

var Wrapped = wrapped

// GroupedFlags are the flags of groups, by the names of these.
func GroupedFlags() map[string][]string {
	all := map[string][]string{}
	for _, g := range flagGroups() {
		all[g.name] = g.flags
	}
	return all
}
