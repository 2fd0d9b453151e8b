package vcenter

import (
	"context"
	"errors"
	"sync"

	"github.com/vmware/govmomi/vim25/types"
)

// serviceInfo is what the vCenter says of itself, the same to every session: whoever asks while another does takes its answer, a
// failure too. A failure is not kept.
type serviceInfo struct {
	mu      sync.Mutex
	asking  *asking
	content *types.ServiceContent
}

// asking is a request under way.
type asking struct {
	done chan struct{}
	err  error
}

// get asks unless somebody has.
func (s *serviceInfo) get(ctx context.Context, ask func() (types.ServiceContent, error)) (types.ServiceContent, error) {
	s.mu.Lock()
	if s.content != nil {
		defer s.mu.Unlock()
		return *s.content, nil
	}
	if a := s.asking; a != nil {
		s.mu.Unlock()
		select {
		case <-a.done:
		case <-ctx.Done():
			return types.ServiceContent{}, Ended(ctx)
		}
		if errors.Is(a.err, context.Canceled) { // only the other call was interrupted
			return ask()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.content == nil {
			return types.ServiceContent{}, a.err
		}
		return *s.content, nil
	}
	a := &asking{done: make(chan struct{}), err: errUnanswered} // unless ask says another
	s.asking = a
	s.mu.Unlock()
	var content types.ServiceContent
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.err == nil {
			s.content = &content
		}
		s.asking = nil
		close(a.done)
	}()
	content, a.err = ask()
	return content, a.err
}
