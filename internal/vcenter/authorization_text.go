package vcenter

import (
	gobytes "bytes"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// cutterKey is where the context of a call has a cutter, and cutKey where that of the one request has
// it whose answer is meant: the call may log in again, or fetch another page.
type (
	cutterKey struct{}
	cutKey    struct{}
)

// cutter takes lists of privileges out of the answer to a method before it is decoded, and leaves
// what it cannot read to the decoder: vCenters of one release send the same lists byte for byte, and
// decoding them was a third of a plan's work. An answer to a second attempt replaces that to the
// first.
type cutter interface {
	of() (method string)
	cut(answer *gobytes.Buffer)
}

// authorizationText is roles and catalogue, cut out.
type authorizationText struct {
	lists     *idLists
	roles     []roleText
	catalogue idList
}

// roleText is the part of a role that differs between vCenters, and what it holds.
type roleText struct {
	ID     int32  `xml:"roleId"`
	System bool   `xml:"system"`
	Name   string `xml:"name"`

	Left  []string `xml:"privilege"` // of what it holds, in another form
	holds idList
}

func (*authorizationText) of() string { return "RetrievePropertiesEx" }

func (t *authorizationText) cut(answer *gobytes.Buffer) {
	t.roles, t.catalogue = nil, idList{}
	cutElements(answer, "<propSet><name>privilegeList</name>", "</propSet>", func(text []byte) (ok bool) {
		t.catalogue, ok = t.lists.decoded(text)
		return ok
	})
	cutElements(answer, "<AuthorizationRole>", "</AuthorizationRole>", func(text []byte) (ok bool) {
		var r roleText
		if r.holds, ok = t.lists.within(text, "privilege", &r); ok && r.Left == nil {
			t.roles = append(t.roles, r)
			return true
		}
		return false
	})
}

// entitiesText is what a user holds on entities, cut out.
type entitiesText struct {
	lists *idLists
	all   []entityText
}

type entityText struct {
	Entity types.ManagedObjectReference `xml:"entity"`

	Left  []string `xml:"privileges"` // of what he holds, in another form
	holds idList
}

func (*entitiesText) of() string { return "FetchUserPrivilegeOnEntities" }

func (t *entitiesText) cut(answer *gobytes.Buffer) {
	t.all = nil
	cutElements(answer, "<returnval>", "</returnval>", func(text []byte) (ok bool) {
		var e entityText
		if e.holds, ok = t.lists.within(text, "privileges", &e); ok && e.Left == nil && e.Entity.Value != "" {
			t.all = append(t.all, e)
			return true
		}
		return false
	})
}

// cutElements takes the elements between two tags out of an answer where they could be read.
func cutElements(answer *gobytes.Buffer, first, last string, read func([]byte) bool) {
	rest := answer.Bytes()
	if len(rest) == 0 || gobytes.Contains(rest, []byte("<!")) || gobytes.Contains(rest[1:], []byte("<?")) {
		return // a tag in a comment is none
	}
	left := rest[:0]
	for {
		from := gobytes.Index(rest, []byte(first))
		if from < 0 {
			break
		}
		to := gobytes.Index(rest[from:], []byte(last))
		if to < 0 {
			break
		}
		if to += from + len(last); read(rest[from:to]) {
			left = append(left, rest[:from]...)
		} else {
			left = append(left, rest[:to]...)
		}
		rest = rest[to:]
	}
	answer.Truncate(len(append(left, rest...)))
}

// idList is a list of privileges, sorted; stripped leaves out the three implicit ones.
type idList struct{ all, stripped []string }

// idLists keeps one copy of each list for all vCenters of a [Run], by its ids and by the bytes that
// were sent.
type idLists struct {
	mu           sync.Mutex
	texts, lists map[string]idList
	size         int // of what is kept, in bytes
}

// mostKept is the size of all lists of all releases, with the roles of many clusters, in bytes. A
// vCenter that sends more is not shared with others.
const mostKept = 8 << 20

// within is the list that an element has in elements of one name, and decodes the rest of it.
func (l *idLists) within(text []byte, name string, rest any) (list idList, ok bool) {
	first, last := "<"+name+">", "</"+name+">"
	from, to := gobytes.Index(text, []byte(first)), gobytes.LastIndex(text, []byte(last))+len(last)
	switch {
	case from < 0: // such as NoAccess
		from, to = 0, 0
	case to < from:
		return idList{}, false
	}
	if list, ok = l.decoded(text[from:to]); ok {
		ok = xml.Unmarshal(slices.Concat(text[:from], text[to:]), rest) == nil
	}
	return list, ok
}

// decoded is what the bytes of a list mean: of a catalogue's property, or of all that a role or a user holds.
func (l *idLists) decoded(text []byte) (idList, bool) {
	l.mu.Lock()
	known, ok := l.texts[string(text)]
	l.mu.Unlock()
	if ok {
		return known, true
	}
	var sent struct {
		Listed []string   `xml:"propSet>val>AuthorizationPrivilege>privId"`
		Role   []string   `xml:"privilege"`
		Entity []string   `xml:"privileges"`
		Others []struct{} `xml:",any"` // no list
	}
	if xml.Unmarshal(slices.Concat([]byte("<list>"), text, []byte("</list>")), &sent) != nil || sent.Others != nil {
		return idList{}, false
	}
	list := l.of(slices.Concat(sent.Listed, sent.Role, sent.Entity))
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, again := l.texts[string(text)]; !again && l.fits(len(text)) { // others decoded it meanwhile
		l.texts[string(text)] = list
	}
	return list, true
}

// of is the list of these ids, which others have too.
func (l *idLists) of(ids []string) idList {
	all := slices.Clone(slices.Compact(slices.Sorted(slices.Values(ids))))
	key := strings.Join(all, "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.lists[key]
	if ok && slices.Equal(known.all, all) {
		return known
	}
	made := idList{all: slices.Clip(all), stripped: slices.Clip(privileges.Strip(all))} // appending makes a copy
	if !ok && l.fits(2*len(key)+2*idSize*len(all)) {
		l.lists[key] = made
	}
	return made
}

// idSize is that of an id in a list, without its text, in bytes.
const idSize = 16

// fits reports whether so many bytes more are kept.
func (l *idLists) fits(size int) bool {
	if l.texts == nil {
		l.texts, l.lists = map[string]idList{}, map[string]idList{}
	}
	if l.size+size > mostKept {
		return false
	}
	l.size += size
	return true
}
