package vcenter

import (
	gobytes "bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/vmware/govmomi/vim25/types"
)

// slim reads the lists of the authorization manager out of an answer and gives the answer without their contents. They are
// nine tenths of what the tool reads of a vCenter, and the decoder, which knows every type of the API, takes longer for
// them than for everything else together. A list that is not written as vCenters write it stays where it is.
func (l *authorizationLists) slim(answer []byte) []byte {
	answer = cut(answer, "ArrayOfAuthorizationRole", func(s *scanner) bool {
		roles, ok := s.roles(l.id)
		if ok && len(roles) > 0 {
			l.roles = roles
		}
		return ok && len(roles) > 0
	})
	return cut(answer, "ArrayOfAuthorizationPrivilege", func(s *scanner) bool {
		ids, ok := s.privileges(l.id)
		if ok && len(ids) > 0 {
			l.privileges = ids
		}
		return ok && len(ids) > 0
	})
}

// cut takes out what stands in the one value of a type, when read took it all.
func cut(answer []byte, kind string, read func(*scanner) bool) []byte {
	begin, end := []byte(`:type="`+kind+`">`), []byte("</val>")
	if gobytes.Count(answer, begin) != 1 || gobytes.Contains(answer, []byte("<!")) { // twice, a comment or CDATA: not a vCenter's
		return answer
	}
	from := gobytes.Index(answer, begin)
	if open := gobytes.LastIndexByte(answer[:from], '<'); open < 0 || !gobytes.HasPrefix(answer[open:], []byte("<val ")) ||
		gobytes.IndexByte(answer[open:from], '>') >= 0 {
		return answer
	}
	from += len(begin)
	length := gobytes.Index(answer[from:], end)
	if length < 0 || !utf8.Valid(answer[from:from+length]) || !read(&scanner{left: answer[from : from+length]}) {
		return answer
	}
	return append(answer[:from:from], answer[from+length:]...)
}

// scanner reads elements with text in them: no prefixes, no entities but the five that every XML has.
type scanner struct{ left []byte }

func (s *scanner) roles(id func([]byte) string) ([]types.AuthorizationRole, bool) {
	var all []types.AuthorizationRole
	for !s.done() {
		if !s.open("AuthorizationRole") {
			return nil, false
		}
		var r types.AuthorizationRole
		named, numbered := false, false
		ok := s.fields("AuthorizationRole", func(name, text []byte) bool {
			switch string(name) {
			case "roleId":
				n, err := strconv.ParseInt(string(text), 10, 32)
				if err != nil || n < math.MinInt32 || numbered {
					return false
				}
				r.RoleId, numbered = int32(n), true
			case "system":
				r.System = string(text) == "true"
				return r.System || string(text) == "false"
			case "name":
				named = !named
				r.Name = string(text)
				return named
			case "privilege":
				if r.Privilege == nil {
					r.Privilege = make([]string, 0, gobytes.Count(s.left[:max(0, gobytes.Index(s.left, []byte("</AuthorizationRole>")))], []byte("<privilege>"))+1)
				}
				r.Privilege = append(r.Privilege, id(text))
			}
			return true
		})
		if !ok || !named || !numbered {
			return nil, false
		}
		all = append(all, r)
	}
	return all, true
}

func (s *scanner) privileges(id func([]byte) string) ([]string, bool) {
	all := make([]string, 0, gobytes.Count(s.left, []byte("<privId>")))
	for !s.done() {
		if !s.open("AuthorizationPrivilege") {
			return nil, false
		}
		found := 0
		ok := s.fields("AuthorizationPrivilege", func(name, text []byte) bool {
			if string(name) == "privId" {
				found++
				all = append(all, id(text))
			}
			return true
		})
		if !ok || found != 1 {
			return nil, false
		}
	}
	return all, true
}

// fields gives each element with text in it to f, until the end of the element around them; what is deeper is ignored.
func (s *scanner) fields(around string, f func(name, text []byte) bool) bool {
	var deeper [4][]byte
	depth := 0
	for {
		s.space()
		if s.closed() {
			name, ok := s.tag()
			switch {
			case !ok:
				return false
			case depth == 0:
				return string(name) == around
			case !gobytes.Equal(name, deeper[depth-1]): //nolint:gosec // depth is at least 1 here, and at most that of deeper
				return false
			}
			depth--
			continue
		}
		name, ok := s.tag()
		if !ok {
			return false
		}
		whole := s.left
		if s.space(); len(s.left) > 0 && s.left[0] == '<' && !s.closed() {
			if depth == len(deeper) {
				return false
			}
			deeper[depth] = name
			depth++
			continue
		}
		s.left = whole
		text, ok := s.text()
		if !ok || !s.closed() {
			return false
		}
		if end, ok := s.tag(); !ok || !gobytes.Equal(end, name) {
			return false
		}
		if depth == 0 && !f(name, text) {
			return false
		}
	}
}

func (s *scanner) space() {
	for len(s.left) > 0 && (s.left[0] == ' ' || s.left[0] == '\n' || s.left[0] == '\t' || s.left[0] == '\r') {
		s.left = s.left[1:]
	}
}

func (s *scanner) done() bool {
	s.space()
	return len(s.left) == 0
}

func (s *scanner) closed() bool { return len(s.left) > 1 && s.left[0] == '<' && s.left[1] == '/' }

func (s *scanner) open(name string) bool {
	if s.closed() {
		return false
	}
	found, ok := s.tag()
	return ok && string(found) == name
}

// tag reads <name>, <name xsi:type="name"> or </name>.
func (s *scanner) tag() (name []byte, ok bool) {
	end := gobytes.IndexByte(s.left, '>')
	if end < 2 || s.left[0] != '<' {
		return nil, false
	}
	inside := s.left[1:end]
	s.left = s.left[end+1:]
	closing := inside[0] == '/'
	if closing {
		inside = inside[1:]
	}
	name, attribute, more := gobytes.Cut(inside, []byte(" "))
	if more && (closing || !typed(attribute, name)) {
		return nil, false
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return nil, false
		}
	}
	return name, len(name) > 0
}

// typed reports whether an attribute says a type that an element may have: its own, or that of a field that is ignored.
func typed(attribute, name []byte) bool {
	prefix, value, ok := gobytes.Cut(attribute, []byte(`:type="`))
	kind, ok2 := gobytes.CutSuffix(value, []byte(`"`))
	return ok && ok2 && gobytes.IndexByte(prefix, '"') < 0 && gobytes.IndexByte(prefix, ' ') < 0 && gobytes.IndexByte(kind, '"') < 0 &&
		(gobytes.Equal(kind, name) || string(name) == "info")
}

// text reads up to the next tag.
func (s *scanner) text() ([]byte, bool) {
	end := gobytes.IndexByte(s.left, '<')
	if end < 0 {
		return nil, false
	}
	text := s.left[:end]
	s.left = s.left[end:]
	for _, c := range text {
		if c < ' ' || c == '&' || c == '>' {
			return nil, false
		}
	}
	return text, true
}
