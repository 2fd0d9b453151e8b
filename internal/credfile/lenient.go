package credfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

// OpenLenient is Open for those who only look: lines at fault, for which the installer refuses the whole file, are told and
// left out. So is the mode of a mounted Secret ([ErrMounted]), which the installer refuses, too. The File cannot be saved. An error is
// what leaves nothing to look at.
func OpenLenient(path string) (*File, []error, error) {
	if path == "-" {
		return nil, nil, fmt.Errorf("%s is stdin, which openshift-install does not read: set %s to a file", called(path), Variable)
	}
	text, found, err := fetch(path)
	if err != nil {
		return nil, nil, err
	}
	mode := files.Check(path, files.Others)
	sound, faults := withoutFaults(text)
	for i, fault := range faults {
		faults[i] = fmt.Errorf("%s: %w", called(path), fault)
	}
	f, err := newFile(path, sound)
	if err != nil {
		return nil, nil, errors.Join(append(faults, err)...)
	}
	if mode != nil && !errors.Is(mode, fs.ErrNotExist) {
		faults = append(faults, mountedError{fmt.Errorf("%s %w", noun(path), mode)})
	}
	f.onDisk, f.faulty, f.warnings = found, len(faults) > 0, directoryWarnings(path)
	return f, faults, nil
}

// ErrMounted is the fault of a file that its group may read, as a mounted Secret: only the installer minds.
var ErrMounted = errors.New("mounted for a group")

// mountedError is an [ErrMounted] in the installer's words.
type mountedError struct{ error }

// Is makes it that error.
func (mountedError) Is(target error) bool { return target == ErrMounted }

// mostFaults bounds how often a file is read again: one with more faults is not the right file.
const mostFaults = 50

// withoutFaults empties the lines at fault, so that the others keep their numbers.
func withoutFaults(text string) (sound string, faults []error) {
	for range mostFaults {
		_, err := judge(text)
		lines, line := strings.SplitAfter(text, "\n"), lineOf(err)
		if line < 1 || line > len(lines) {
			break // none, or not one line's: newFile says it
		}
		faults = append(faults, err)
		lines[line-1] = lines[line-1][len(strings.TrimRight(lines[line-1], "\r\n")):]
		text = strings.Join(lines, "")
	}
	slices.SortStableFunc(faults, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return text, faults
}

// lineOf is the first line for which a text is refused, from 1; 0 if it is no single line.
func lineOf(err error) int {
	if at, ok := errors.AsType[*syntaxError](err); ok {
		return at.line
	}
	return 0
}
