package wizard

import (
	"context"
	"errors"
)

// Why a question has no answer.
var (
	// ErrInterrupted: Ctrl-C or Ctrl-D.
	ErrInterrupted = errors.New("interrupted")
	errBack        = errors.New("back to the question before")
)

// Asker asks a person one question at a time. What it shows may hold names from elsewhere: it is made safe for the
// terminal, and the answer is the name as it is. Every method returns [ErrInterrupted] after Ctrl-C, the context's error
// when that ended, and an error of its own kind, which only this package knows, when the person wants to go back.
type Asker interface {
	// Select returns the index of the chosen entry.
	Select(ctx context.Context, q Choice) (int, error)
	// MultiSelect returns the indexes of the chosen entries, in their order.
	MultiSelect(ctx context.Context, q Choices) ([]int, error)
	// Input returns a line without blanks around it, Default when it is empty.
	Input(ctx context.Context, q Line) (string, error)
	// Password returns a line that nobody sees.
	Password(ctx context.Context, q Line) (string, error)
	// Busy shows what is waited for, until done is called.
	Busy(text string) (done func())
	// Say shows lines between the questions; they are wrapped, not cut. Names and faults in them cannot begin a new one.
	Say(lines ...string)
}

// Entry is one line of a list.
type Entry struct {
	Label string // what is chosen, and what the filter looks at
	Note  string // what tells it from others
}

// Choice asks for one of a list.
type Choice struct {
	Message, Help string
	Entries       []Entry
	Default       int // index
}

// Choices asks for some of a list.
type Choices struct {
	Message, Help string
	Entries       []Entry
	Default       []int // indexes
	Check         func(chosen []int) error
}

// Line asks for text.
type Line struct {
	Message, Help string
	Default       string
	Check         func(text string) error // of the text that would be returned; nil = anything goes
}
