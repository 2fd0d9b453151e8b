// Package wsdl describes the API of a simulated vCenter to clients that read what they can call: a service, its methods and their
// types. It is written from govmomi's types, by reflection, and names them as a vCenter does; it is none of VMware's files.
package wsdl

import (
	"cmp"
	_ "embed"
	"encoding/xml"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// names are what govmomi does not tell at run time, from its sources: methods, each with the type of its answer behind a tab ("" = none),
// and, behind an empty line, the names of all other types. A test writes it (-update).
//
//go:embed names.txt
var names string

// The files, by their names below /sdk.
const (
	Service = "vimService.wsdl" // where the API is
	Port    = "vim.wsdl"        // its methods
	Types   = "vim-types.xsd"
)

// File gives one of the files for an API at an address; false = there is none of that name. What is the same for all vCenters is written
// once, when somebody asks for it first.
func File(name, address string) ([]byte, bool) {
	switch name {
	case Service:
		return service(address), true
	case Port:
		return port(), true
	case Types:
		return schema(), true
	}
	return nil, false
}

const namespaces = `xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:vim25="urn:vim25"`

func service(address string) []byte {
	var at strings.Builder
	_ = xml.EscapeText(&at, []byte(address))
	return fmt.Appendf(nil, `%s<definitions %s xmlns:s="urn:vim25Service" targetNamespace="urn:vim25Service">
<import location="%s" namespace="urn:vim25"/>
<service name="VimService"><port binding="vim25:VimBinding" name="VimPort"><soap:address location="%s"/></port></service>
</definitions>
`, xml.Header, namespaces, Port, at.String())
}

var port = sync.OnceValue(func() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `%s<definitions %s targetNamespace="urn:vim25">
<types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:vim25"><include schemaLocation="%s"/></schema></types>
`, xml.Header, namespaces, Types)
	methods := methods()
	for _, m := range methods {
		fmt.Fprintf(&b, `<message name="%[1]sRequestMsg"><part element="vim25:%[1]s" name="parameters"/></message>
<message name="%[1]sResponseMsg"><part element="vim25:%[1]sResponse" name="parameters"/></message>
`, m.name)
	}
	b.WriteString(`<portType name="VimPortType">` + "\n")
	for _, m := range methods {
		fmt.Fprintf(&b, `<operation name="%[1]s"><input message="vim25:%[1]sRequestMsg"/><output message="vim25:%[1]sResponseMsg"/></operation>`+"\n", m.name)
	}
	b.WriteString(`</portType>
<binding name="VimBinding" type="vim25:VimPortType"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
`)
	for _, m := range methods {
		fmt.Fprintf(&b, `<operation name="%s"><soap:operation soapAction="urn:vim25" style="document"/>`+
			`<input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`+"\n", m.name)
	}
	b.WriteString("</binding>\n</definitions>\n")
	return []byte(b.String())
})

// method is one of the API. Its answer is a type's name, behind [] or * where it is many or may be none.
type method struct{ name, answer string }

func methods() (all []method) {
	list, _, _ := strings.Cut(names, "\n\n")
	for line := range strings.Lines(list) {
		name, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, method{name, answer})
	}
	return all
}

// typeNames are those of all types but what methods take.
func typeNames() []string {
	_, list, _ := strings.Cut(names, "\n\n")
	return strings.Fields(list)
}

// spelt are the names that begin with a small letter, by those of Go.
var spelt = sync.OnceValue(func() map[string]string {
	of, all := types.TypeFunc(), map[string]string{}
	for _, name := range typeNames() {
		if t, ok := of(name); ok && t.Name() != name {
			all[t.Name()] = name
		}
	}
	return all
})

var schema = sync.OnceValue(func() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `%s<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:vim25="urn:vim25" targetNamespace="urn:vim25" elementFormDefault="qualified">
<complexType name="ManagedObjectReference"><simpleContent><extension base="string"><attribute name="type" type="string"/></extension></simpleContent></complexType>
`, xml.Header)
	of := types.TypeFunc()
	for _, m := range methods() {
		fmt.Fprintf(&b, `<element name="%[1]s" type="vim25:%[1]sRequestType"/>`+"\n", m.name)
		fmt.Fprintf(&b, `<element name="%sResponse"><complexType><sequence>`, m.name)
		if m.answer != "" {
			kind := strings.TrimLeft(m.answer, "[]*")
			fmt.Fprintf(&b, `<element name="returnval" type="%s"%s/>`, named(kind), occurs(m.answer[0] == '[', m.answer != kind))
		}
		b.WriteString("</sequence></complexType></element>\n")
		if t, ok := of(m.name); ok {
			complexType(&b, m.name+"RequestType", t)
		}
	}
	for _, name := range typeNames() {
		if t, ok := of(name); ok && name != "ManagedObjectReference" {
			if t.Kind() == reflect.Struct {
				complexType(&b, name, t)
			} else {
				fmt.Fprintf(&b, `<simpleType name="%s"><restriction base="string"/></simpleType>`+"\n", name)
			}
		}
	}
	b.WriteString("</schema>\n")
	return []byte(b.String())
})

// complexType writes a struct: what it embeds is what it extends.
func complexType(b *strings.Builder, name string, t reflect.Type) {
	fields := make([]reflect.StructField, 0, t.NumField())
	base := ""
	for field := range t.Fields() {
		switch f := field; {
		case f.Anonymous:
			base = named(f.Type.Name())
		case f.IsExported():
			fields = append(fields, f)
		}
	}
	fmt.Fprintf(b, `<complexType name="%s">`, name)
	if base != "" {
		fmt.Fprintf(b, `<complexContent><extension base="%s">`, base)
	}
	b.WriteString("<sequence>")
	for _, f := range fields {
		tag := strings.Split(f.Tag.Get("xml"), ",")
		kind, many := f.Type, false
		if kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 {
			kind, many = kind.Elem(), true
		}
		optional := many || kind.Kind() == reflect.Pointer || slices.Contains(tag[1:], "omitempty")
		fmt.Fprintf(b, `<element name="%s" type="%s"%s/>`, tag[0], typeOf(kind), occurs(many || kind == oneByOne, optional))
	}
	b.WriteString("</sequence>")
	if base != "" {
		b.WriteString("</extension></complexContent>")
	}
	b.WriteString("</complexType>\n")
}

func occurs(many, optional bool) (how string) {
	if optional {
		how = ` minOccurs="0"`
	}
	if many {
		how += ` maxOccurs="unbounded"`
	}
	return how
}

var (
	oneByOne = reflect.TypeFor[types.ByteSlice]() // which are sent one by one
	when     = reflect.TypeFor[time.Time]()
)

// typeOf is how a schema calls a type of Go.
func typeOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == when:
		return "dateTime"
	case t == oneByOne:
		return "byte"
	case t.Kind() == reflect.Slice:
		return "base64Binary"
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return "anyType"
	case t.Kind() == reflect.Interface: // of what extends a type, which its method returns
		return named(t.Method(0).Type.Out(0).Elem().Name())
	}
	return named(t.Name())
}

// named is how a schema calls a type that govmomi's sources name.
func named(name string) string {
	if own, ok := map[string]string{
		"string": "string", "bool": "boolean", "time.Time": "dateTime", "AnyType": "anyType", "byte": "byte", "float32": "float", "float64": "double",
		"int8": "byte", "int16": "short", "int32": "int", "int64": "long", "uint8": "byte",
	}[name]; ok {
		return own
	}
	if t, ok := types.TypeFunc()(name); ok { // an interface is known as what it is of
		name = t.Name()
	}
	return "vim25:" + cmp.Or(spelt()[name], name)
}
