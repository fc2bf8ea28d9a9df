package har

import (
	"sync"
	"time"
)

// clock is the clock of a run that is recorded or replayed. It advances only to times
// that are in the file (the start of a request, the end of an exchange) and by waits. So
// a replay computes the same values from the time as the recorded run.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// forward advances the clock to a time and returns the time of the clock. It never sets
// the clock back.
func (c *clock) forward(to time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to = to.Truncate(resolution); to.After(c.at) {
		c.at = to
	}
	return c.at
}
