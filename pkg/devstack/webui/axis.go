package webui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// span is a stretch of time in which something ran.
type span struct{ from, until time.Time }

// axis maps times to positions. Long stretches in which nothing ran are shortened, so
// that one pause does not squeeze everything else: one takes at most a quarter of the
// time in which something ran, all together as much as that.
type axis struct {
	began  time.Time
	pieces []piece
	// total is the drawn length, in time as it is drawn.
	total time.Duration
}

// piece is a part of the axis with one scale. Both its time and its place are counted
// from the beginning.
type piece struct {
	from, until time.Duration
	at, length  time.Duration
	// cut says that it is shorter than its time.
	cut bool
}

// newAxis covers all spans, in any order. What begins after them until a later time is
// a pause.
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
	a.place()
	return a
}

// place gives each piece its place and its length.
func (a *axis) place() {
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

// fairShare is the longest pause, so that all pauses together, longer ones cut to it,
// do not take more than the budget.
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

// place of a time, from 0 to 1. A time within a shortened pause is at its share of it.
func (a axis) of(t time.Time) float64 {
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

// tick is a mark on the axis.
type tick struct {
	X    string
	Text string
}

// pause is a shortened stretch of the axis. Text is how long it took, "" if there is no
// room for it.
type pause struct {
	X, Width, Middle string
	Text             string
}

const (
	// apart is the least distance between two texts on the axis, widest a pause with a
	// text, seen one that is drawn.
	apart  = 0.13
	widest = 0.09
	seen   = 0.004
)

// Ticks are round times on the parts that are not shortened, apart from each other.
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

// pauses are the shortened parts that can be seen.
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

// tickText is a time with as many digits as the steps need.
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

// roundUp is the next round duration.
func roundUp(d time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, tenths := range []time.Duration{10, 20, 50} {
			if step := unit * tenths / 10; step >= d {
				return step
			}
		}
	}
}
