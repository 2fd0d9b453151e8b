package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const vcentersFlag = "vcenters"

// SpacedVCenters takes names of --vcenters apart that spaces separate, as scripts have them: --vcenters "a b" is --vcenters a,b.
func SpacedVCenters(flags *pflag.FlagSet) error {
	fl := flags.Lookup(vcentersFlag)
	if fl == nil {
		return nil
	}
	list, isList := fl.Value.(pflag.SliceValue)
	if !isList || !strings.ContainsAny(fl.Value.String(), " \t\n") {
		return nil
	}
	var names []string
	for _, word := range list.GetSlice() {
		if parts := strings.Fields(word); len(parts) > 0 {
			names = append(names, parts...)
		} else {
			names = append(names, word) // what is wrong with it is said as of any name
		}
	}
	return list.Replace(names)
}

// NamedByScripts adds to the error that no vCenter is given what to say where the environment names some for govc or for a script:
// they are taken from no variable of others. Of GOVC_URL, which may hold a user and a password, only the host is said.
func NamedByScripts(err error, getenv func(string) string) error {
	if !errors.Is(err, errNoSource) {
		return err
	}
	hints := errNoSource.(interface{ Hints() []string }).Hints() //nolint:errorlint,forcetypeassert // made above
	for _, v := range []struct {
		name  string
		names []string
	}{{"VCENTERS", strings.Fields(strings.ReplaceAll(getenv("VCENTERS"), ",", " "))}, {"GOVC_URL", govcHost(getenv("GOVC_URL"))}} {
		if _, err := spec.FromServers(v.names); err == nil {
			hints = append(hints, fmt.Sprintf("%s is not read; what it names: --%s %s", v.name, vcentersFlag, script.Word(strings.Join(v.names, ","))))
		}
	}
	return hint.Wrap(err, hints...)
}

// govcHost is the host, with its port, of a URL as govc takes it: [https://][user[:password]@]host[:port][/sdk]. What is before the last
// @ is dropped, whatever it is.
func govcHost(url string) []string {
	if i := strings.LastIndexByte(url, '@'); i >= 0 {
		url = url[i+1:]
	} else if _, rest, found := strings.Cut(url, "://"); found {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	return strings.Fields(url)
}
