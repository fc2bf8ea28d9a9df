package pagination

import (
	"fmt"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// forceStop ends a job at a limit of pages, time or bytes. The page that reaches the
// limit is stored and is the last page.
type forceStop struct {
	pages   limit
	seconds limit
	volume  limit // number of bytes, see response.Page
}

// limit is an optional number.
type limit struct {
	set     bool
	number  int64
	pointer string
}

type forceStopState struct {
	start  time.Time
	pages  int64
	volume int64
}

// Settings of `forceStop`.
var (
	ForceStop = field.Of("forceStop", "Stop by amount", "Stops after a number of pages, a span of time or a number of bytes. The page that reaches the limit is kept.",
		field.Object("forceStop", "Stop by amount", "The first limit that is reached ends the job.", ForceStopPages, forceStopTime, forceStopVolume))
	ForceStopPages = field.Integer("pages", "Pages", "Number of pages.").Example(`10`)
	forceStopTime  = field.Of("time", "Time", "Seconds, or a span of time in words.",
		&field.Type{Kinds: []string{"number", "string"}, Message: "expected a number of seconds or a span of time"}).Example(`"1 hour"`, `600`)
	forceStopVolume = field.Integer("volume", "Volume", "Bytes of the responses as compact JSON.").Example(`1000000`)
)

func compileForceStop(s config.Section) stopper {
	f := forceStop{
		pages:   integerLimit(s, ForceStopPages),
		seconds: timeLimit(forceStopTime.In(s)),
		volume:  integerLimit(s, forceStopVolume),
	}
	return stopper{
		needs:    Requirements{Volume: f.volume.set, Time: f.seconds.set},
		counts:   !f.volume.set && !f.seconds.set,
		start:    func(now time.Time) State { return forceStopState{start: now} },
		after:    f.after,
		describe: f.describe(),
	}
}

func integerLimit(s config.Section, number field.Setting[int]) limit {
	m := number.In(s)
	return limit{set: m.Present(), number: int64(number.Of(s)), pointer: m.Pointer}
}

// timeLimit returns a limit in seconds. The setting is a number of seconds, or a text
// like "1 hour", which is evaluated relative to the start of 1970.
func timeLimit(s config.Section) limit {
	l := limit{set: s.Present(), pointer: s.Pointer}
	if !l.set {
		return l
	}
	var ok bool
	if l.number, ok = s.Value.Int(); ok {
		return l
	}
	if s.Value.Kind() == value.String {
		if moment, ok := php.StrToTime(s.Value.Raw(), time.Unix(0, 0)); ok {
			l.number = moment.Unix()
			return l
		}
	}
	s.Problem("expected a number of seconds or a span of time such as \"1 hour\"", "")
	return l
}

func (f forceStop) after(state State, p PageInfo) (State, *Stop, error) {
	s := state.(forceStopState)
	s.pages++
	s.volume += p.Volume
	passed := int64(p.Now.Sub(s.start) / time.Second)
	switch {
	case f.pages.set && s.pages >= f.pages.number:
		return nil, f.pages.stop("the number of pages (%d) has reached the limit of %d", s.pages), nil
	case f.seconds.set && passed >= f.seconds.number:
		return nil, f.seconds.stop("the time since the first request (%d seconds) has reached the limit of %d", passed), nil
	case f.volume.set && s.volume > f.volume.number:
		return nil, f.volume.stop("the volume of the pages (%d bytes) is over the limit of %d", s.volume), nil
	}
	return s, nil, nil
}

func (l limit) stop(rule string, reached int64) *Stop {
	return &Stop{Rule: fmt.Sprintf(rule, reached, l.number), Pointer: l.pointer, Reason: Deliberate}
}

func (f forceStop) describe() string {
	var limits []string
	for _, one := range []struct {
		limit
		text string
	}{
		{f.pages, "after page %d"},
		{f.seconds, "after the page that arrives %d seconds or more after the first request"},
		{f.volume, "after the page that brings the responses to more than %d bytes"},
	} {
		if one.set {
			limits = append(limits, fmt.Sprintf(one.text, one.number))
		}
	}
	if len(limits) == 0 {
		return ""
	}
	return "Stops " + strings.Join(limits, ", or ") + "."
}
