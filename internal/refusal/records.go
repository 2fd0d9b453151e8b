package refusal

import (
	"bufio"
	"bytes"
	"iter"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Marks of lines that go on with the record before them.
var (
	// opens a fault as pyVmomi, Ansible and vpxd print it, until its brace is closed.
	opens = pattern.Of(`\(vim\.fault\.\w+\) \{\s*$`)
	// goesOn are continued lines of vpxd, boxes of Terraform, and the place of a PowerShell error,
	// which quotes lines of the script.
	goesOn = pattern.Of(`^(?:-->|│|╵|At \S+:[0-9]+ char:[0-9]+)`)
	quotes = pattern.Of(`^\s*\+ `)
	// wrapped is the end of a line that a console of PowerShell has broken within a sentence.
	wrapped = pattern.Of(`(?i)(?:permission to perform(?: this(?: operation(?: was)?)?)?|was denied\. (?:you|required)|privilege|managed object(?: with(?: id)?)?)\s*$`)
	prefix  = pattern.Of(`^(?:-->|│|╵)\s*`)
)

// longest is how many lines one record has at most.
const longest = 100

// records are the lines of a text by number, from 1: what one message says over several lines is
// one, under the number of its first line.
func records(text []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var record strings.Builder
		first, open, lines := 0, 0, 0
		last := ""
		scanner := bufio.NewScanner(bytes.NewReader(text))
		scanner.Buffer(nil, 1<<20)
		for n := 1; scanner.Scan(); n++ {
			line := scanner.Text()
			more := lines < longest && first > 0 &&
				(open > 0 || goesOn().MatchString(line) || wrapped().MatchString(last) ||
					quotes().MatchString(line) && (quotes().MatchString(last) || strings.HasPrefix(last, "At ")))
			if !more {
				if first > 0 && !yield(first, record.String()) {
					return
				}
				record.Reset()
				first, open, lines = n, 0, 0
			}
			if open > 0 || opens().MatchString(line) {
				open = max(0, open+strings.Count(line, "{")-strings.Count(line, "}"))
			}
			if lines > 0 {
				record.WriteByte(' ')
			}
			record.WriteString(prefix().ReplaceAllString(line, ""))
			last, lines = line, lines+1
		}
		if first > 0 {
			yield(first, record.String())
		}
	}
}
