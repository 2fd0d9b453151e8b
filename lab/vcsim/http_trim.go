package vcsim

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// Which element came with which version is what govmomi's types know since 7.0 (their tag vim:"7.0.2.0"), and for what is
// before data/elements.tsv. Types and values of enumerations that a client is too old for are given to it all the same: there
// is no source for them here.

//go:embed data/elements.tsv
var elementData string

// newElements gives the version of elements by type and name.
func newElements() (map[[2]string]string, error) {
	out := map[[2]string]string{}
	for n, line := range strings.Split(elementData, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 || parseVersion(f[2]) == nil {
			return nil, fmt.Errorf("versions of elements, line %d: not type, element, version", n+1)
		}
		out[[2]string{f[0], f[1]}] = f[2]
	}
	return out, nil
}

// answers are the types of answers, which govmomi's registry of types lacks, as far as newer elements can be in them: what
// properties are read with, and the calls that give whole descriptions. In others only what names its own type is known.
var answers = map[string]reflect.Type{
	"RetrievePropertiesResponse":           reflect.TypeFor[types.RetrievePropertiesResponse](),
	"RetrievePropertiesExResponse":         reflect.TypeFor[types.RetrievePropertiesExResponse](),
	"ContinueRetrievePropertiesExResponse": reflect.TypeFor[types.ContinueRetrievePropertiesExResponse](),
	"WaitForUpdatesResponse":               reflect.TypeFor[types.WaitForUpdatesResponse](),
	"WaitForUpdatesExResponse":             reflect.TypeFor[types.WaitForUpdatesExResponse](),
	"RetrieveServiceContentResponse":       reflect.TypeFor[types.RetrieveServiceContentResponse](),
	"LoginResponse":                        reflect.TypeFor[types.LoginResponse](),
	"LoginByTokenResponse":                 reflect.TypeFor[types.LoginByTokenResponse](),
	"QueryConfigOptionResponse":            reflect.TypeFor[types.QueryConfigOptionResponse](),
	"QueryConfigOptionExResponse":          reflect.TypeFor[types.QueryConfigOptionExResponse](),
	"QueryConfigTargetResponse":            reflect.TypeFor[types.QueryConfigTargetResponse](),
	"QueryTargetCapabilitiesResponse":      reflect.TypeFor[types.QueryTargetCapabilitiesResponse](),
	"QueryHostConnectionInfoResponse":      reflect.TypeFor[types.QueryHostConnectionInfoResponse](),
	"QueryConnectionInfoResponse":          reflect.TypeFor[types.QueryConnectionInfoResponse](),
	"RecommendDatastoresResponse":          reflect.TypeFor[types.RecommendDatastoresResponse](),
	"CreateImportSpecResponse":             reflect.TypeFor[types.CreateImportSpecResponse](),
	"RetrieveVStorageObjectResponse":       reflect.TypeFor[types.RetrieveVStorageObjectResponse](),
}

const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

// trimmed is an answer without the elements that are newer than a client. It only cuts; an answer that it cannot read stays.
func trimmed(answer []byte, client version, elements map[[2]string]string) []byte {
	t := &trimmer{dec: xml.NewDecoder(bytes.NewReader(answer)), types: types.TypeFunc(), elements: elements, client: client, in: answer}
	for {
		token, err := t.dec.Token()
		if err == io.EOF { //nolint:errorlint // Token returns it bare
			break
		}
		if err != nil {
			return answer
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "Body" {
			if err := t.children(nil); err != nil {
				return answer
			}
		}
	}
	if t.kept == 0 {
		return answer
	}
	t.out.Write(answer[t.kept:])
	return t.out.Bytes()
}

type trimmer struct {
	dec      *xml.Decoder
	types    types.Func
	elements map[[2]string]string
	client   version
	in       []byte
	out      bytes.Buffer
	kept     int64 // what of in is dealt with
}

// children reads up to the end of an element of a type, nil when that is not known.
func (t *trimmer) children(of reflect.Type) error {
	for {
		begin := t.dec.InputOffset()
		token, err := t.dec.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			kind, since := t.element(of, token)
			if since != "" && t.client.before(parseVersion(since)) {
				if err := t.dec.Skip(); err != nil {
					return err
				}
				t.out.Write(t.in[t.kept:begin])
				t.kept = t.dec.InputOffset()
				continue
			}
			if err := t.children(kind); err != nil {
				return err
			}
		}
	}
}

// element is an element's type and the version that it came with.
func (t *trimmer) element(of reflect.Type, start xml.StartElement) (kind reflect.Type, since string) {
	name := start.Name.Local
	switch {
	case of == nil:
		kind = answers[name]
	case of.Kind() == reflect.Struct:
		if f, in, ok := fieldNamed(of, name); ok {
			kind, since = f.Type, f.Tag.Get("vim")
			if since == "" {
				since = t.elements[[2]string{in.Name(), name}]
			}
		}
	}
	for _, a := range start.Attr {
		if a.Name.Space == schemaInstance && a.Name.Local == "type" {
			kind, _ = t.types(a.Value[strings.LastIndex(a.Value, ":")+1:])
		}
	}
	for kind != nil && (kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice) {
		kind = kind.Elem()
	}
	return kind, since
}

// fieldNamed is the field for an element, of a struct or of one that it embeds, and which one that is.
func fieldNamed(of reflect.Type, element string) (f reflect.StructField, in reflect.Type, ok bool) {
	for f := range of.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			if inner, in, ok := fieldNamed(f.Type, element); ok {
				return inner, in, true
			}
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("xml"), ","); name == element {
			return f, of, true
		}
	}
	return reflect.StructField{}, nil, false
}
