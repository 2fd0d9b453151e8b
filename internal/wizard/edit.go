package wizard

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Keys as survey knows them.
const (
	editLeft   = "\x02"
	editRight  = "\x06"
	editHome   = "\x01"
	editEnd    = "\x11"
	editErase  = "\x7f" // the character before the cursor
	editDelete = "\x12" // the one at the cursor
	eraseAll   = "\x18" // of a filter
)

// Keys of a shell that survey lacks. Alt is escape before the key; the others differ by terminal.
var (
	editKeys = map[string]func(*edit) (line []rune, at int){
		"\x15": (*edit).cutBefore, "\x0b": (*edit).cutBehind, // Ctrl-U, Ctrl-K
		// Ctrl-W, Alt-backspace
		"\x17": (*edit).cutWord, "\x1b\x7f": (*edit).cutWord, "\x1b\b": (*edit).cutWord,
		"\x1bd": (*edit).cutNextWord, // Alt-d
		"\x1bb": (*edit).wordBack, "\x1b[1;5D": (*edit).wordBack, "\x1b[1;3D": (*edit).wordBack, "\x1b[5D": (*edit).wordBack, "\x1bOd": (*edit).wordBack,
		"\x1bf": (*edit).wordOn, "\x1b[1;5C": (*edit).wordOn, "\x1b[1;3C": (*edit).wordOn, "\x1b[5C": (*edit).wordOn, "\x1bOc": (*edit).wordOn,
	}
	editSame = map[string]string{ // other spellings of what survey knows
		"\x05": editEnd, "\b": editErase,
		"\x1b[D": editLeft, "\x1bOD": editLeft, "\x1b[C": editRight, "\x1bOC": editRight,
		"\x1b[H": editHome, "\x1bOH": editHome, "\x1b[1~": editHome, "\x1b[7~": editHome,
		"\x1b[F": editEnd, "\x1bOF": editEnd, "\x1b[4~": editEnd, "\x1b[8~": editEnd, "\x1b[3~": editDelete,
	}
)

// edit is survey's line, so that keys that survey lacks can be replaced by keys that it has.
type edit struct {
	line []rune
	at   int // of the cursor
}

// press gives the keys for survey, and follows what they do.
func (e *edit) press(key []byte) [][]byte {
	name := string(key)
	if same, ok := editSame[name]; ok {
		name = same
	}
	if change := editKeys[name]; change != nil {
		return e.become(change(e))
	}
	switch name {
	case editLeft:
		e.at = max(0, e.at-1)
	case editRight:
		e.at = min(len(e.line), e.at+1)
	case editHome:
		e.at = 0
	case editEnd:
		e.at = len(e.line)
	case editErase:
		if e.at > 0 {
			e.at--
			e.line = slices.Delete(e.line, e.at, e.at+1)
		}
	case editDelete:
		if e.at < len(e.line) {
			e.line = slices.Delete(e.line, e.at, e.at+1)
		}
	case "\r", "\n":
		*e = edit{} // what follows is another line
	default:
		r, n := utf8.DecodeRuneInString(name)
		if n != len(name) || unicode.IsControl(r) {
			return nil // nothing of ours
		}
		e.line = slices.Insert(e.line, e.at, r)
		e.at++
	}
	return [][]byte{[]byte(name)}
}

// become turns the line into another one with survey's keys: it erases from the end, where survey
// draws best, down to the common beginning, and types the new text.
func (e *edit) become(line []rune, at int) (keys [][]byte) {
	press := func(key string, times int) {
		for range times {
			keys = append(keys, []byte(key))
		}
	}
	stays := 0
	for stays < min(len(e.line), len(line)) && e.line[stays] == line[stays] {
		stays++
	}
	if len(e.line) == len(line) && stays == len(line) {
		press(editLeft, e.at-at)
		press(editRight, at-e.at)
	} else {
		press(editEnd, 1)
		press(editErase, len(e.line)-stays)
		for _, r := range line[stays:] {
			press(string(r), 1)
		}
		press(editLeft, len(line)-at)
	}
	e.line, e.at = slices.Clone(line), at
	return keys
}

func (e *edit) cutBefore() ([]rune, int) { return e.line[e.at:], 0 }
func (e *edit) cutBehind() ([]rune, int) { return e.line[:e.at], e.at }

func (e *edit) cutWord() ([]rune, int) {
	_, from := e.wordBack()
	return slices.Concat(e.line[:from], e.line[e.at:]), from
}

func (e *edit) cutNextWord() ([]rune, int) {
	_, to := e.wordOn()
	return slices.Concat(e.line[:e.at], e.line[to:]), e.at
}

// wordBack is the beginning of the word before the cursor. A path has a word for each of its parts.
func (e *edit) wordBack() ([]rune, int) {
	at := e.at
	for at > 0 && !inWord(e.line[at-1]) {
		at--
	}
	for at > 0 && inWord(e.line[at-1]) {
		at--
	}
	return e.line, at
}

// wordOn is the end of the word behind the cursor.
func (e *edit) wordOn() ([]rune, int) {
	at := e.at
	for at < len(e.line) && !inWord(e.line[at]) {
		at++
	}
	for at < len(e.line) && inWord(e.line[at]) {
		at++
	}
	return e.line, at
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// listKeys are those of a list: what survey would take for text is dropped.
func listKeys(key []byte) [][]byte {
	switch name := string(key); {
	case name == "\x15" || name == "\x17": // Ctrl-U, Ctrl-W
		return [][]byte{[]byte(eraseAll)}
	case len(key) == 3 && key[0] == keyEscape && bytes.IndexByte([]byte("ABCD"), key[2]) >= 0:
		return [][]byte{key}
	case key[0] == keyEscape:
		return nil
	}
	return [][]byte{key}
}
