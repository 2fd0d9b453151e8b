package consumers

import (
	"sync"
	"time"
)

// Clock is a time that passes when a test says so. It is for vcsim.Options.Now, too.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock begins now.
func NewClock() *Clock { return &Clock{now: time.Now()} }

// Now is the time.
func (k *Clock) Now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// Advance lets time pass without anybody doing anything in it.
func (k *Clock) Advance(d time.Duration) { k.set(k.Now().Add(d)) }

func (k *Clock) set(t time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.After(k.now) {
		k.now = t
	}
}

// Tick lets time pass. Who has something to do in it does it at its time; those of one moment at once.
func (c *Cluster) Tick(d time.Duration) {
	for end := c.clock.Now().Add(d); c.moment(end); {
	}
}

// moment is the next moment at which somebody has something to do, until the end; false when there is none.
func (c *Cluster) moment(end time.Time) bool {
	c.acting.Lock()
	defer c.acting.Unlock()
	at := end
	for _, r := range c.readers {
		if r.next.Before(at) {
			at = r.next
		}
	}
	c.clock.set(at)
	at = c.clock.Now()
	var wg sync.WaitGroup
	busy := false
	for _, r := range c.readers {
		if !r.next.After(at) {
			busy = true
			wg.Go(func() { r.act(at) })
		}
	}
	wg.Wait()
	c.look()
	return busy
}

// During lets time pass in steps while work is done, at most so much in all, and returns when the work is done. There is a step
// at each pulse; nil = one after the other.
func (c *Cluster) During(pulse <-chan struct{}, step, most time.Duration, work func()) {
	if pulse == nil {
		always := make(chan struct{})
		close(always)
		pulse = always
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	for passed := time.Duration(0); passed < most; passed += step {
		select {
		case <-done:
			return
		case <-pulse:
			c.Tick(step)
		}
	}
	<-done
}
