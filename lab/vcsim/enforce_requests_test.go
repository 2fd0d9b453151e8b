package vcsim

import (
	"strings"
	"testing"
)

// What a request names has to be there for the caller, however deep it is in the request, and what the API requires has to
// be in it: the simulator would break off in the midst of a call and leave its object locked.
func TestParametersAreLookedUp(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	w := newWire(t, v)
	w.login(w.reader(folderOfReader))
	hidden, _ := v.find("/DC1")
	events := element("_this", "EventManager", "EventManager")
	filter := func(id string) string {
		return events + `<filter><entity>` + element("entity", "Datacenter", id) + `<recursion>all</recursion></entity></filter>`
	}
	for what, c := range map[string]struct{ name, body, want, also string }{
		"a hidden object":             {"QueryEvents", filter(hidden.Value), "NoPermissionFault", ">System.View<"},
		"an object that is not there": {"QueryEvents", filter("datacenter-4711"), "ManagedObjectNotFoundFault", ">datacenter-4711<"},
		"without what is required":    {"AcquireGenericServiceTicket", element("_this", "SessionManager", "SessionManager"), "InvalidRequestFault", ""},
		"about tags": {
			"ListTagsAttachedToVStorageObject", element("_this", "VcenterVStorageObjectManager", "VStorageObjectManager") + "<id><id>x</id></id>",
			"NotSupportedFault", "",
		},
		"and one that is whole": {"QueryEvents", events + "<filter/>", "QueryEventsResponse", ""},
	} {
		if got := w.call(c.name, c.body); !strings.Contains(got, c.want) || !strings.Contains(got, c.also) {
			t.Errorf("%s: %s", what, got)
		}
	}
}
