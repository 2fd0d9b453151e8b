package termtest

import (
	"io"
	"strings"
	"sync"
)

// Hears is a writer that passes on what is written, and tells when a text was among it.
type Hears struct {
	Done chan struct{} // closed then
	to   io.Writer
	text string
	once sync.Once
}

// NewHears waits for a text on its way to a writer.
func NewHears(to io.Writer, text string) *Hears {
	return &Hears{to: to, text: text, Done: make(chan struct{})}
}

// Write implements io.Writer.
func (h *Hears) Write(p []byte) (int, error) {
	n, err := h.to.Write(p)
	if strings.Contains(string(p), h.text) {
		h.once.Do(func() { close(h.Done) })
	}
	return n, err
}
