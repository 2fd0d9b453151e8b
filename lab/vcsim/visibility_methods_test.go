package vcsim

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// No method of any object tells an account that may read one folder of anything that it does not see: neither references
// nor names of hidden objects, nor the keys of others' sessions. Every method is called on an object of each type that there is,
// with nothing, with hidden and with visible objects for its parameters.
func TestNoMethodTellsOfHiddenObjects(t *testing.T) {
	for _, more := range []string{"", "/"} {
		t.Run("and read access on "+more, func(t *testing.T) {
			s := newSweep(t, more)
			calls := 0
			for _, kind := range s.kinds() {
				for _, method := range s.methods(kind) {
					for _, this := range s.targets(kind) {
						for _, fill := range []*filler{{}, {refs: s.hidden, texts: s.hiddenTexts}, {refs: s.visible, texts: s.hiddenTexts}} {
							s.call(method, this, fill)
							calls++
							if s.broken {
								s = newSweep(t, more)
							}
						}
					}
				}
			}
			if calls < 800 {
				t.Errorf("only %d calls", calls)
			}
			t.Logf("%d calls of %d methods of %d types", calls, len(s.seen), len(s.kinds()))
			s.read()
		})
	}
}

// sweep calls methods as an account that sees next to nothing.
type sweep struct {
	*wire
	user, password string
	seen           map[string]bool
	broken         bool

	visible, hidden map[string]moref // by type
	hiddenTexts     map[string]string
	secrets         []string
}

// read looks at all properties of all that the account sees, and at what it makes for itself to read more.
func (s *sweep) read() {
	s.Helper()
	for _, obj := range s.v.model.Map().AllReference("") {
		ref := obj.Reference()
		m := managed(obj)
		if m == nil {
			continue
		}
		t := reflect.TypeOf(m).Elem()
		for field := range t.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "self" {
				s.look(name+" of "+ref.String(), "Fetch", element("_this", ref.Type, ref.Value)+text("prop", name))
			}
		}
	}
	for _, c := range []struct{ manager, create, filter string }{
		{"EventManager", "CreateCollectorForEvents", "EventFilterSpec"}, {"TaskManager", "CreateCollectorForTasks", "TaskFilterSpec"},
	} {
		what := strings.TrimPrefix(c.create, "CreateCollectorFor")
		ref := s.made(c.create, element("_this", c.manager, c.manager)+`<filter xsi:type="`+c.filter+`"></filter>`)
		this := element("_this", strings.TrimSuffix(what, "s")+"HistoryCollector", ref)
		s.look("latestPage", "Fetch", this+text("prop", "latestPage"))
		s.call0("RewindCollector", this)
		s.look("next", "ReadNext"+what, this+text("maxCount", "1000"))
		s.call0("ResetCollector", this)
		s.look("previous", "ReadPrevious"+what, this+text("maxCount", "1000"))
	}
	view := s.made("CreateContainerView", element("_this", "ViewManager", "ViewManager")+
		element("container", "Folder", s.visible["Folder"].Value)+text("recursive", "true"))
	s.look("view", "Fetch", element("_this", "ContainerView", view)+text("prop", "view"))
}

func (s *sweep) call0(name, body string) { _ = s.wire.call(name, body) }

// made is the reference of what a call made.
func (s *sweep) made(name, body string) string {
	s.Helper()
	answer := s.wire.call(name, body)
	_, rest, _ := strings.Cut(answer, "<returnval")
	return between(s, rest, ">", "</returnval>")
}

// look makes a call and checks its answer.
func (s *sweep) look(what, name, body string) {
	s.Helper()
	answer, err := s.try(name, body)
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
	s.judge(what, body, answer)
}

func newSweep(t *testing.T, more string) *sweep {
	v := start(t, Options{Estate: EstateOptions{Foreign: true}}).VCenters[0]
	adm := newWire(t, v)
	key := adm.login(v.AdminUser(), v.AdminPassword())
	worked(t, v)
	s := &sweep{wire: newWire(t, v), seen: map[string]bool{}, visible: map[string]moref{}, hidden: map[string]moref{}, secrets: []string{key}}
	s.user, s.password = s.reader(folderOfReader)
	if more != "" {
		p, err := v.Directory().Lookup("reader", false)
		if err == nil {
			ref, _ := v.find(more)
			err = v.authz.setPermission(ref, p, -2, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.login(s.user, s.password)
	p, err := v.Directory().Lookup("reader", false)
	if err != nil {
		t.Fatal(err)
	}
	x := v.authz.evaluate(v.authz.background(), p)
	for _, obj := range v.model.Map().AllReference("") {
		ref := obj.Reference()
		if x.visible(ref) {
			s.visible[ref.Type] = ref
			continue
		}
		s.hidden[ref.Type] = ref
		if ref == v.authz.root { // everybody is told of it in the service's content
			continue
		}
		s.secrets = append(s.secrets, ref.Value)
		if name := entityName(v.model.Map(), ref); strings.ContainsAny(name, "0123456789-") {
			s.secrets = append(s.secrets, name)
		}
	}
	vm, ok := managed(v.model.Map().Get(s.hidden["VirtualMachine"])).(*mo.VirtualMachine)
	if !ok || len(s.secrets) < 30 {
		t.Fatalf("only %d objects are hidden", len(s.secrets))
	}
	s.hiddenTexts = map[string]string{
		"Uuid": vm.Config.Uuid, "InstanceUuid": vm.Config.InstanceUuid, "InventoryPath": "/DC1/vm/" + vm.Name, "Path": vm.Config.Files.VmPathName,
		"Name": vm.Name, "DnsName": vm.Name, "SessionId": key, "UserName": `VSPHERE.LOCAL\Administrator`, "CloneTicket": key,
	}
	return s
}

func (s *sweep) kinds() []string {
	kinds := map[string]bool{}
	for _, obj := range s.v.model.Map().AllReference("") {
		kinds[obj.Reference().Type] = true
	}
	var out []string
	for kind := range kinds {
		out = append(out, kind)
	}
	slices.Sort(out)
	return out
}

// targets are an object that the account sees, and one that it does not see.
func (s *sweep) targets(kind string) []moref {
	var out []moref
	for _, m := range []map[string]moref{s.visible, s.hidden} {
		if ref, ok := m[kind]; ok {
			out = append(out, ref)
		}
	}
	return out
}

// methods are the request types of what the simulator dispatches to an object of a type.
func (s *sweep) methods(kind string) []reflect.Type {
	var out []reflect.Type
	handler := s.v.model.Map().AllReference(kind)[0]
	t := reflect.TypeOf(handler)
	answer := reflect.TypeFor[soap.HasFault]()
	for method := range t.Methods() {
		m := method.Type
		if m.NumOut() != 1 || m.Out(0) != answer || m.NumIn() < 2 || m.NumIn() > 3 {
			continue
		}
		req := m.In(m.NumIn() - 1)
		if req.Kind() == reflect.Pointer && req.Elem().PkgPath() == reflect.TypeFor[types.Login]().PkgPath() && req != reflect.TypeFor[*simulator.Context]() {
			out = append(out, req.Elem())
		}
	}
	return out
}

var (
	faultObjects  = regexp.MustCompile(`<(object|entity) type="[^"]*">[^<]*</(object|entity)>`)
	eventSessions = regexp.MustCompile(`<sessionId>[^<]*</sessionId>`)
)

func (s *sweep) call(method reflect.Type, this moref, fill *filler) {
	s.Helper()
	s.seen[this.Type+"."+method.Name()] = true
	req := reflect.New(method)
	fill.fill(req.Elem(), "", 0)
	req.Elem().FieldByName("This").Set(reflect.ValueOf(this))
	var body bytes.Buffer
	if err := xml.NewEncoder(&body).EncodeElement(req.Interface(), xml.StartElement{Name: xml.Name{Space: "urn:vim25", Local: method.Name()}}); err != nil {
		s.Fatalf("%s: %v", method.Name(), err)
	}
	s.http.Timeout = time.Minute // a call that broke off in the midst of it leaves the object locked
	answer, err := s.raw(method.Name(), body.String())
	if err != nil {
		s.Errorf("%s of %s: %v", method.Name(), this, err)
		s.broken = true
		return
	}
	if strings.Contains(answer, "NotAuthenticatedFault") { // it was a logout
		s.login(s.user, s.password)
	}
	s.judge(method.Name()+" of "+this.String(), body.String(), answer)
}

// judge looks for what is hidden in an answer and was not in the request.
func (s *sweep) judge(what, request, answer string) {
	s.Helper()
	if strings.Contains(answer, "NoPermission") { // names what it was checked on
		answer = faultObjects.ReplaceAllString(answer, "")
	}
	answer = eventSessions.ReplaceAllString(answer, "") // of logins, which are the root folder's; a key opens nothing
	for _, secret := range s.secrets {
		if at := strings.Index(answer, ">"+secret+"<"); at >= 0 && !strings.Contains(request, ">"+secret+"<") {
			s.Errorf("%s tells of %s: ...%s...", what, secret, answer[max(0, at-300):min(len(answer), at+60)])
			return
		}
	}
}

// filler makes parameters.
type filler struct {
	refs  map[string]moref
	texts map[string]string
}

// refTypes are the types of parameters by their name; others are virtual machines.
var refTypes = map[string]string{
	"Host": "HostSystem", "Datastore": "Datastore", "Pool": "ResourcePool", "ResourcePool": "ResourcePool", "Folder": "Folder",
	"Datacenter": "Datacenter", "DestinationDatacenter": "Datacenter", "SourceDatacenter": "Datacenter", "Dc": "Datacenter", "Container": "Folder",
	"Dvs": "DistributedVirtualSwitch", "Network": "Network", "Entity": "Datacenter", "ComputeResource": "ClusterComputeResource",
}

func (f *filler) fill(v reflect.Value, name string, depth int) {
	if f.refs == nil || depth > 4 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if text := f.texts[name]; text != "" && v.Type().PkgPath() == "" {
			v.SetString(text)
		}
	case reflect.Int32:
		v.SetInt(10)
	case reflect.Pointer:
		if name == "MaxWaitSeconds" {
			v.Set(reflect.ValueOf(new(int32)))
			return
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			p := reflect.New(v.Type().Elem())
			f.fill(p.Elem(), name, depth+1)
			v.Set(p)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		one := reflect.New(v.Type().Elem()).Elem()
		f.fill(one, name, depth+1)
		v.Set(reflect.Append(v, one))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[moref]() {
			kind := refTypes[name]
			if kind == "" {
				kind = "VirtualMachine"
			}
			if ref, ok := f.refs[kind]; ok {
				v.Set(reflect.ValueOf(ref))
			}
			return
		}
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				f.fill(v.Field(i), field.Name, depth+1)
			}
		}
	}
}
