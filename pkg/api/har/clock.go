package har

import (
	"sync"
	"time"
)

// clock is the time of a run that is recorded or replayed. It stands still but
// for what goes into the file: the start of a request, the end of an exchange,
// and waits. So whatever a run computes of the time, its replay computes too.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// forward sets the clock unless it is later already, and gives its time.
func (c *clock) forward(to time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to = to.Truncate(resolution); to.After(c.at) {
		c.at = to
	}
	return c.at
}
