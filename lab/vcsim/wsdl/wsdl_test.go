package wsdl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vim25/types"
)

var update = flag.Bool("update", false, "write names.txt")

// source is a file of govmomi's, as the compiler found it.
func source(t *testing.T, name string) string {
	t.Helper()
	at, _ := runtime.CallersFrames([]uintptr{reflect.ValueOf(types.NewBool).Pointer()}).Next()
	if !filepath.IsAbs(at.File) {
		t.Skipf("govmomi's sources are not here: %s", at.File)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(at.File), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// names.txt has every method and every type of govmomi's sources.
func TestNamesAreAllOfThem(t *testing.T) {
	t.Parallel()
	all := source(t, "types.go") + source(t, "enum.go") + source(t, "unreleased.go")
	answers := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^type (\w+Response) struct \{\n(?:\s*//.*\n|\tXMLName.*\n)*(?:\tReturnval\s+(\S+)|\})`).FindAllStringSubmatch(all, -1) {
		answers[m[1]] = m[2]
	}
	var methods, others []string
	for _, m := range regexp.MustCompile(`xml:"urn:vim25 (\w+),.*\n\tRes +\*types\.(\w+)`).FindAllStringSubmatch(source(t, "../methods/methods.go"), -1) {
		answer, ok := answers[m[2]]
		if !ok {
			t.Fatalf("%s answers nothing that is known", m[1])
		}
		methods = append(methods, strings.TrimSuffix(m[1]+"\t"+answer, "\t"))
	}
	for _, m := range regexp.MustCompile(`(?m)^\tt\["(\w+)"\]`).FindAllStringSubmatch(all, -1) {
		isMethod := func(line string) bool { return line == m[1] || strings.HasPrefix(line, m[1]+"\t") }
		if !strings.HasSuffix(m[1], "RequestType") && !slices.ContainsFunc(methods, isMethod) {
			others = append(others, m[1])
		}
	}
	slices.Sort(others)
	want := strings.Join(methods, "\n") + "\n\n" + strings.Join(others, "\n") + "\n"
	if len(methods) < 900 || len(others) < 4000 {
		t.Errorf("only %d methods and %d types", len(methods), len(others))
	}
	if *update {
		if err := os.WriteFile("names.txt", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if names != want {
		t.Error("names.txt is not what govmomi's sources say: run this test with -update")
	}
}

// The files are well-formed, have every method, and refer to nothing that they do not have.
func TestFiles(t *testing.T) {
	t.Parallel()
	text := map[string]string{}
	for _, name := range []string{Service, Port, Types} {
		data, ok := File(name, `https://vc.example.com/sdk?a&b`)
		if !ok {
			t.Fatalf("no %s", name)
		}
		text[name] = string(data)
		for d := xml.NewDecoder(bytes.NewReader(data)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		t.Logf("%s: %d KiB", name, len(data)>>10)
	}
	if _, ok := File("other.wsdl", ""); ok {
		t.Error("a file that there is not")
	}
	if !strings.Contains(text[Service], `location="https://vc.example.com/sdk?a&amp;b"`) {
		t.Errorf("%s", text[Service])
	}
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`<(?:complexType|simpleType|element|message|portType|binding) name="(\w+)"`).FindAllStringSubmatch(text[Port]+text[Types], -1) {
		defined[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?:type|base|element|message)="vim25:(\w*)"`).FindAllStringSubmatch(text[Port]+text[Types], -1) {
		if !defined[m[1]] {
			t.Errorf("%q is not defined", m[1])
			defined[m[1]] = true // once
		}
	}
	for _, m := range methods() {
		if !strings.Contains(text[Port], `<operation name="`+m.name+`"><input`) {
			t.Errorf("no operation %s", m.name)
		}
	}
	for _, line := range []string{
		`<element name="RetrievePropertiesExResponse"><complexType><sequence><element name="returnval" type="vim25:RetrieveResult" minOccurs="0"/>`,
		`<complexType name="LoginRequestType"><sequence><element name="_this" type="vim25:ManagedObjectReference"/><element name="userName" type="string"/>`,
		`<complexType name="VirtualE1000"><complexContent><extension base="vim25:VirtualEthernetCard"><sequence></sequence></extension></complexContent></complexType>`,
		`<element name="device" type="vim25:VirtualDevice" minOccurs="0" maxOccurs="unbounded"/>`,
		`<element name="val" type="anyType"`,
		`<simpleType name="VirtualMachinePowerState"><restriction base="string"/></simpleType>`,
	} {
		if !strings.Contains(text[Types], line) {
			t.Errorf("the types have no %s", line)
		}
	}
}
