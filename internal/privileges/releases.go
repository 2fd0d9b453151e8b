package privileges

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Releases are the releases of OpenShift that a matrix holds for; the zero value is all.
type Releases struct{ bounds []bound }

// bound is one comparison of a [Releases].
type bound struct {
	op      string // = >= > <= <
	release [2]int // major, minor
}

// operators of a bound, those of two characters before their prefixes.
func operators() []string { return []string{">=", "<=", ">", "<", "="} }

// parseReleases reads comparisons with MAJOR.MINOR that all have to hold: ">=4.18 <5.0", "4.22".
// Needs change with minor releases, so it refuses patch levels.
func parseReleases(text string) (Releases, error) {
	var all Releases
	for _, word := range strings.Fields(text) {
		b := bound{op: "="}
		for _, op := range operators() {
			if rest, ok := strings.CutPrefix(word, op); ok {
				b.op, word = op, rest
				break
			}
		}
		major, minor, ok := strings.Cut(word, ".")
		var bad bool
		for i, part := range []string{major, minor} {
			var err error
			b.release[i], err = number(part)
			bad = bad || err != nil
		}
		if !ok || bad {
			return Releases{}, fmt.Errorf("%q is not a release range: use MAJOR.MINOR after >=, >, <=, < or nothing, as in \">=4.18 <5.0\"", word)
		}
		all.bounds = append(all.bounds, b)
	}
	if len(all.bounds) == 0 {
		return Releases{}, fmt.Errorf("no release is given: omit it for all releases")
	}
	return all, nil
}

// number reads a part of a version: digits, no more of them than any version has.
func number(text string) (int, error) {
	if len(text) == 0 || len(text) > 4 || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a release number", text)
	}
	return strconv.Atoi(text)
}

// Minor gives the MAJOR.MINOR of a version such as 4.22.3, 4.23.0-rc.1 or 4.22.
func Minor(version string) (string, error) {
	release, err := minor(version)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d", release[0], release[1]), nil
}

func minor(version string) (release [2]int, err error) {
	core, _, _ := strings.Cut(version, "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return release, fmt.Errorf("%q is not a release version, such as 4.22.3", version)
	}
	for i, part := range parts {
		n, err := number(part)
		if err != nil {
			return release, fmt.Errorf("%q is not a release version, such as 4.22.3", version)
		}
		if i < len(release) {
			release[i] = n
		}
	}
	return release, nil
}

// Hold reports whether a version is one of them. A version that is none is an error.
func (r Releases) Hold(version string) (bool, error) {
	release, err := minor(version)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(r.bounds, func(b bound) bool { return !b.holds(release) }), nil
}

func (b bound) holds(release [2]int) bool {
	order := cmp.Or(cmp.Compare(release[0], b.release[0]), cmp.Compare(release[1], b.release[1]))
	switch b.op {
	case ">=":
		return order >= 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case "<":
		return order < 0
	}
	return order == 0
}

// String is the form that [parseReleases] reads; "" for all.
func (r Releases) String() string {
	var words []string
	for _, b := range r.bounds {
		op := b.op
		if op == "=" {
			op = ""
		}
		words = append(words, fmt.Sprintf("%s%d.%d", op, b.release[0], b.release[1]))
	}
	return strings.Join(words, " ")
}
