package vcenter

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// What a vCenter says of itself is asked once. Whoever asks meanwhile takes that answer or that failure; the failure is not
// kept, and an interruption is nobody else's.
func TestIntroductionIsAskedOnce(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for name, c := range map[string]struct {
		first       error
		told, asked int32 // of three who wait and one who comes later
		fails       error // for those who wait
	}{
		"answer":       {nil, 4, 1, nil},
		"failure":      {refused, 1, 2, refused},
		"interruption": {context.Canceled, 4, 5, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var about serviceInfo
				var asked, told atomic.Int32
				answer := make(chan struct{})
				var first, others crash.Group
				first.Go(func() {
					_, err := about.get(t.Context(), func() (types.ServiceContent, error) {
						asked.Add(1)
						<-answer
						return types.ServiceContent{About: types.AboutInfo{InstanceUuid: "1"}}, c.first
					})
					if !errors.Is(err, c.first) {
						t.Errorf("the first: %v, want %v", err, c.first)
					}
				})
				synctest.Wait()
				get := func() error {
					content, err := about.get(t.Context(), func() (types.ServiceContent, error) {
						asked.Add(1)
						return types.ServiceContent{About: types.AboutInfo{InstanceUuid: "1"}}, nil
					})
					if content.About.InstanceUuid == "1" {
						told.Add(1)
					}
					return err
				}
				for range 3 {
					others.Go(func() {
						if err := get(); !errors.Is(err, c.fails) {
							t.Errorf("%v, want %v", err, c.fails)
						}
					})
				}
				synctest.Wait()
				if asked.Load() != 1 {
					t.Errorf("%d ask at once", asked.Load())
				}
				close(answer)
				first.Wait()
				others.Wait()
				if err := get(); err != nil {
					t.Errorf("later: %v", err)
				}
				if asked.Load() != c.asked || told.Load() != c.told {
					t.Errorf("asked %d times, told %d, want %d and %d", asked.Load(), told.Load(), c.asked, c.told)
				}
			})
		})
	}
}

// Whoever is interrupted waits no longer.
func TestIntroductionWaitEnds(t *testing.T) {
	t.Parallel()
	about := serviceInfo{asking: &asking{done: make(chan struct{})}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := about.get(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
