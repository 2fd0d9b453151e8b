package credfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Keys names the two keys of a component. The component "installer" has the plain ones, as the enhancement's
// example file has them; the installer itself does not read those (openshift/installer@0f58e82ecf15,
// pkg/asset/installconfig/vsphere/credentials.go).
func Keys(c component.Name) (user, password string) {
	return prefix(c) + "user", prefix(c) + "password"
}

// prefix is what the keys of a component begin with.
func prefix(c component.Name) string {
	if c == component.Installer {
		return ""
	}
	return string(c) + "."
}

// quoted returns how value is written so that ini.v1 reads it back: raw if that does, else in backticks. tail is a
// comment to keep behind it on the line; it is dropped where the value does not survive beside it.
func quoted(v, tail string) (string, error) {
	forms := []string{v, "`" + v + "`"}
	if tail != "" {
		forms = append([]string{v + tail, "`" + v + "`" + tail}, forms...)
	}
	for _, form := range forms {
		if readsBack(form, v) {
			return form, nil
		}
	}
	return "", errors.New("cannot be written so that ini.v1 reads it back: neither raw nor in backticks")
}

// readsBack reports whether ini.v1 reads form as want, with the lines around it left alone.
func readsBack(form, want string) bool {
	file, err := parse("[s]\nk = " + form + "\nnext = 1\n")
	if err != nil {
		return false
	}
	s := file.Section("s")
	return len(s.KeyStrings()) == 2 && s.HasKey("k") && s.Key("k").Value() == want && s.HasKey("next") && s.Key("next").Value() == "1"
}

// checkValue refuses what no quoting cures. Its errors do not show the value. resolves reports whether ini.v1 would
// replace a reference to a key.
func checkValue(v string, resolves func(key string) bool) error {
	switch {
	case v == "":
		return errors.New("is empty")
	case len(v) > MaxValue:
		return fmt.Errorf("has %d bytes, more than %d: check the value", len(v), MaxValue)
	case !utf8.ValidString(v):
		return errors.New("is not valid UTF-8")
	case strings.ContainsAny(v, "\r\n"):
		return errors.New("holds a line break, which the readers of the secrets reject: remove it")
	case strings.ContainsFunc(v, unicode.IsControl):
		return errors.New("holds a control character: remove it")
	}
	for _, m := range reference().FindAllStringSubmatch(v, -1) {
		if key := m[1]; accountKey().MatchString(key) || resolves(key) {
			return errors.New("holds a reference like %(key)s, which ini.v1 replaces by another value of the file " +
				"even in quotes: choose a value without it")
		}
	}
	return nil
}

// maxServer is the longest name that DNS has.
const maxServer = 253

// checkServer refuses names that do not come back as the name of a section.
func checkServer(server string) error {
	switch {
	case server == "":
		return errors.New("a vCenter without a name cannot have a section in the credentials file")
	case server == defaultSection:
		return fmt.Errorf("%s: ini.v1 reserves this section name: use another name for the vCenter", server)
	case !utf8.ValidString(server) || strings.ContainsFunc(server, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return fmt.Errorf("%q: blanks and control characters cannot be part of a vCenter's name", server)
	case len(server) > maxServer:
		return fmt.Errorf("%.40s...: a vCenter's name of %d characters, more than the %d of a host name", server, len(server), maxServer)
	case strings.HasPrefix(server, "."):
		return fmt.Errorf("%s: a section whose name starts with a dot inherits keys from DEFAULT: remove the dot", server)
	}
	file, err := parse("[" + server + "]\nk = 1\n")
	if err != nil || !file.HasSection(server) || !file.Section(server).HasKey("k") {
		return fmt.Errorf("%s: ini.v1 does not read this back as a section name: use another name for the vCenter", server)
	}
	return nil
}
