package webui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

type span struct{ from, until time.Time }

// axis maps times to positions. It shortens long pauses, so that one pause does not
// squeeze everything else. A shortened pause takes at most a quarter of the busy time,
// and all pauses together take at most the busy time. The busy time is the time covered
// by spans.
type axis struct {
	began  time.Time
	pieces []piece
	// total is the length of the axis as drawn.
	total time.Duration
}

// piece is a part of the axis with one scale. from and until are its times, at and length
// its position and length as drawn, all relative to the start of the axis.
type piece struct {
	from, until time.Duration
	at, length  time.Duration
	// cut is true if the piece is drawn shorter than its time. Until layOut has run, it
	// marks all pauses.
	cut bool
}

// newAxis returns an axis that covers all spans, in any order, and the time from the last
// span to until, which is a pause.
func newAxis(spans []span, until time.Time) axis {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.from.Compare(b.from), a.until.Compare(b.until)) })
	if len(spans) == 0 {
		return axis{pieces: []piece{{until: time.Millisecond, length: time.Millisecond}}, total: time.Millisecond}
	}
	a := axis{began: spans[0].from}
	var end time.Duration
	for _, s := range spans {
		from, until := s.from.Sub(a.began), s.until.Sub(a.began)
		if last := len(a.pieces) - 1; last >= 0 && from <= end {
			end = max(end, until)
			a.pieces[last].until = end
			continue
		}
		if len(a.pieces) > 0 {
			a.pieces = append(a.pieces, piece{from: end, until: from, cut: true})
		}
		end = max(until, from)
		a.pieces = append(a.pieces, piece{from: from, until: end})
	}
	if last := until.Sub(a.began); last > end {
		a.pieces = append(a.pieces, piece{from: end, until: last, cut: true})
	}
	a.layOut()
	return a
}

// layOut sets the position and the length of each piece.
func (a *axis) layOut() {
	var busy time.Duration
	var pauses []time.Duration
	for _, p := range a.pieces {
		if p.cut {
			pauses = append(pauses, p.until-p.from)
		} else {
			busy += p.until - p.from
		}
	}
	busy = max(busy, time.Millisecond)
	longest := min(fairShare(pauses, busy), busy/4)
	for i := range a.pieces {
		p := &a.pieces[i]
		took := p.until - p.from
		p.at, p.length = a.total, took
		if p.cut = p.cut && took > longest; p.cut {
			p.length = longest
		}
		a.total += p.length
	}
	if a.total <= 0 {
		a.total = time.Millisecond
	}
}

// fairShare returns the maximum length of a pause, so that all pauses together take at
// most the budget.
func fairShare(pauses []time.Duration, budget time.Duration) time.Duration {
	slices.Sort(pauses)
	for i, pause := range pauses {
		share := budget / time.Duration(len(pauses)-i)
		if pause > share {
			return share
		}
		budget -= pause
	}
	return budget
}

// position returns the position of a time, from 0 to 1.
func (a axis) position(t time.Time) float64 {
	d := t.Sub(a.began)
	for _, p := range a.pieces {
		if d > p.until {
			continue
		}
		if took := p.until - p.from; took > 0 && d > p.from {
			return (float64(p.at) + float64(d-p.from)*float64(p.length)/float64(took)) / float64(a.total)
		}
		return float64(p.at) / float64(a.total)
	}
	return 1
}

func percent(share float64) string { return fmt.Sprintf("%.2f%%", 100*share) }

type tick struct {
	X    string
	Text string
}

// pause is a shortened pause on the axis. Text is its duration, or "" if there is no room
// for it.
type pause struct {
	X, Width, Middle string
	Text             string
}

const (
	// apart is the minimum distance of two texts on the axis. widest is the minimum width
	// of a pause with a text. seen is the minimum width of a pause that is drawn. All are
	// shares of the axis.
	apart  = 0.13
	widest = 0.09
	seen   = 0.004
)

// ticks returns marks at round times, outside of shortened pauses and apart from each
// other.
func (a axis) ticks() []tick {
	step := roundUp(a.total / 6)
	var ticks []tick
	last := -apart
	for i, p := range a.pieces {
		if p.cut {
			if share := float64(p.length) / float64(a.total); share >= widest {
				last = float64(p.at+p.length)/float64(a.total) - apart
			}
			continue
		}
		before := len(ticks)
		for at := (p.from + step - 1) / step * step; at <= p.until && len(ticks) < 20; at += step {
			if x := float64(p.at+at-p.from) / float64(a.total); x-last >= apart && x <= 1-apart/2 {
				ticks = append(ticks, tick{percent(x), tickText(at, step)})
				last = x
			}
		}
		// Between many pauses there may be no round time.
		if x := float64(p.at) / float64(a.total); i > 0 && a.pieces[i-1].cut && len(ticks) == before && x-last >= apart && x <= 1-apart/2 && len(ticks) < 20 {
			ticks = append(ticks, tick{percent(x), seconds(p.from)})
			last = x
		}
	}
	return ticks
}

// pauses returns the shortened pauses that are wide enough to be seen.
func (a axis) pauses() []pause {
	var found []pause
	for _, p := range a.pieces {
		share := float64(p.length) / float64(a.total)
		if !p.cut || share < seen {
			continue
		}
		x := float64(p.at) / float64(a.total)
		shown := pause{X: percent(x), Width: percent(share), Middle: percent(x + share/2)}
		if share >= widest {
			shown.Text = seconds(p.until - p.from)
		}
		found = append(found, shown)
	}
	return found
}

// tickText formats a time with the number of digits that the step needs.
func tickText(at, step time.Duration) string {
	switch {
	case at == 0:
		return "0"
	case at < time.Second:
		return seconds(at)
	case at < time.Minute || step < time.Second && at < 10*time.Minute:
		digits := 3
		for step >= 10*time.Millisecond && digits > 0 && step%(10*time.Millisecond) == 0 {
			digits, step = digits-1, step/10
		}
		return strings.TrimSuffix(fmt.Sprintf("%.*f", digits, at.Seconds()), ".") + " s"
	default:
		return seconds(at)
	}
}

// roundUp returns the smallest duration of 1, 2 or 5 times a power of ten milliseconds
// that is at least d.
func roundUp(d time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, tenths := range []time.Duration{10, 20, 50} {
			if step := unit * tenths / 10; step >= d {
				return step
			}
		}
	}
}
