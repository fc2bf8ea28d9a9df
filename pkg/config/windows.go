package config

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// The settings of `windows`.
var (
	WindowsFrom     = field.Of("from", "From", "Where the first window starts. A number is a Unix time, a text is read as by the function `strtotime`. Without `step` it may have no value: then the window has no start.", momentType).Example(`"2024-01-01"`, `{"remembered": "until", "default": "2024-01-01"}`).Must().Also("start", "start_date")
	WindowsTo       = field.Of("to", "To", "Where the last window ends, in the form of `from`. There are windows only if `from` is earlier.", momentType).DefaultJSON(`{"time": "currentStart"}`).Example(`"today"`).Also("until", "end_date")
	windowsStep     = field.Text("step", "Step", "Length of a window in words. Months and years are calendar months and years, counted from `from`; a day that a month does not have becomes its last day. Absent: one window from `from` to `to`.").Example(`"7 days"`, `"1 month"`, `"6 hours"`).Also("interval", "size")
	WindowsLookback = field.Text("lookback", "Look back", "How much earlier the first window starts if `from` was remembered, in words: for items that arrive late.").Example(`"2 days"`)
	windowsFormat   = field.Text("format", "Format", "How `{\"window\": …}` is written, as by the function `date`. `U` is a number, the seconds since 1970.").Default("c").Example(`"Y-m-d"`).Also("date_format")
	windowsTimezone = field.Text("timezone", "Time zone", "Time zone of texts without a zone, of days, and of `format`.").Default("UTC").Example(`"Europe/Prague"`)
	windowsEnd      = field.Text("end", "End", "With `exclusive` a window ends where the next one starts. With `inclusive` every window ends one unit earlier, for APIs that also send what is at the end: the finest unit that `format` writes, from a day to a microsecond.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices(exclusiveEnd, inclusiveEnd)}).Default(exclusiveEnd).Example(`"inclusive"`)
	WindowsAtMost   = field.Integer("atMost", "At most", "Root jobs with `step`: how many windows a run fetches at most; the next run continues after them. The job must remember the end of its windows and start from it, with `incrementalOutput`. See [windows in several runs](#windows-in-several-runs).").Example(`30`).Also("max_windows", "limit")

	momentType  = &field.Type{Name: "moment", Title: "time or expression", Kinds: []string{"string", "number", "object"}, NotEmpty: []string{"object"}, Message: "expected a time or an expression"}
	windowsType = field.Object("windows", "Windows", "The spans of time that a job runs for, one after another.",
		WindowsFrom, WindowsTo, windowsStep, WindowsLookback, windowsFormat, windowsTimezone, windowsEnd, WindowsAtMost)
)

const (
	exclusiveEnd = "exclusive"
	inclusiveEnd = "inclusive"
)

// WindowSettings is the compiled setting `windows` of a job. Its bounds are expressions.
type WindowSettings struct {
	// Pointer is the JSON pointer of the setting.
	Pointer  string
	from, to expr.Expr
	lookback window.Step // zero if absent
	// AtMost is the number of windows that a run fetches at most, or 0 if there is no
	// limit.
	AtMost int
	rules  window.Spec
	// open reports whether a text contains a variable with an unknown value.
	open func(text string) bool
	// rulesOpen is true if a setting of the rules contains such a variable. The rules are
	// not compiled then.
	rulesOpen bool
}

// windows compiles the windows of a job. It returns nil if the job has none. It checks
// bounds that are known before a run.
func (c *compiler) windows(s Section, e evaluator, above, family JobScope) *WindowSettings {
	if !s.Present() || s.Faulty() || s.Value.Kind() != value.Object {
		return nil
	}
	family.Windows = above.Windows // the windows of the job cannot depend on themselves
	return CompileWindows(s, e.compilerFor(expr.InWindows, family), e.attr, c.Now(), c.Open)
}

// CompileWindows compiles `windows`. compiler compiles the bounds. The check of the
// bounds counts phrases such as "yesterday" from now. open is Options.Open, or nil.
func CompileWindows(s Section, compiler expr.Compiler, attributes expr.Members, now time.Time, open func(text string) bool) *WindowSettings {
	before := len(*s.Problems())
	compiler.Exact = true
	if open == nil {
		open = func(string) bool { return false }
	}
	w := &WindowSettings{
		Pointer: s.Pointer,
		open:    open,
		from:    compiler.Compile(WindowsFrom.In(s).Value, WindowsFrom.In(s).Pointer),
		to:      compiler.Compile(defaultTo(WindowsTo.In(s)), WindowsTo.In(s).Pointer),
	}
	w.compileRules(s)
	w.AtMost = atMostOf(s)
	if len(*s.Problems()) == before && WindowsFrom.In(s).Present() {
		w.check(s, attributes, now)
	}
	return w
}

// compileRules compiles the settings that are not expressions.
func (w *WindowSettings) compileRules(s Section) {
	for _, setting := range []field.Setting[string]{windowsStep, WindowsLookback, windowsFormat, windowsTimezone} {
		w.rulesOpen = w.rulesOpen || w.open(setting.Of(s))
	}
	if w.rulesOpen {
		return
	}
	w.lookback = stepOf(s, WindowsLookback)
	w.rules = window.Spec{Step: stepOf(s, windowsStep), Format: windowsFormat.Of(s), Zone: zoneOf(s), Inclusive: windowsEnd.Of(s) == inclusiveEnd}
	if hint := window.CheckFormat(w.rules.Format); hint != "" {
		windowsFormat.In(s).Problem("expected a format of the function date", failure.Text(hint))
	} else if w.rules.Step != (window.Step{}) && window.Timeless(w.rules.Format) && w.rules.Step.UnderADay() {
		windowsStep.In(s).Problem("expected a step of a day or more, because \"format\" writes no time", "add the time to the format: Y-m-d H:i:s")
	}
}

// atMostOf returns `atMost`, or 0 if it is absent.
func atMostOf(parent Section) int {
	s := WindowsAtMost.In(parent)
	if s.Value.IsNull() || s.Faulty() {
		return 0
	}
	n, _ := s.Value.Int()
	if n < 1 || n > math.MaxInt32 {
		s.Problem("expected a number of windows of 1 or more", "without the key there is no limit")
		return 0
	}
	return int(n)
}

// Divided reports whether the time is divided into windows by `step`. It returns false if
// the setting contains a variable with an unknown value.
func (w *WindowSettings) Divided() bool { return w.rules.Step != (window.Step{}) }

// Undecided reports whether a setting contains a variable with an unknown value.
func (w *WindowSettings) Undecided() bool { return w.rulesOpen }

// Advances reports whether `atMost` windows are longer than `lookback`, in any month of a
// year.
func (w *WindowSettings) Advances() bool {
	for month := time.January; month <= time.December; month++ {
		since := time.Date(2023, month, 1, 0, 0, 0, 0, time.UTC)
		if w.rules.Step.After(w.lookback.Before(since), w.AtMost).After(since) {
			return true
		}
	}
	return w.lookback == (window.Step{})
}

// FromReferences returns the names in context c that `from` refers to.
func (w *WindowSettings) FromReferences(c expr.Context) []string { return w.from.References(c) }

// defaultTo returns `to`, or its default.
func defaultTo(s Section) value.Value {
	if s.Present() {
		return s.Value
	}
	return WindowsTo.Field.Default
}

// stepOf returns the length of time in a setting, or zero if the setting is absent.
func stepOf(parent Section, setting field.Setting[string]) window.Step {
	s, text := setting.In(parent), setting.Of(parent)
	if text == "" || s.Faulty() {
		return window.Step{}
	}
	span, ok := window.ParseSpan(text)
	if !ok {
		s.Problem("expected a span of time in words, above zero", "such as 7 days, 1 month, 6 hours, 1 year")
	}
	return span
}

func zoneOf(parent Section) *time.Location {
	s, name := windowsTimezone.In(parent), windowsTimezone.Of(parent)
	zone, ok := php.Zone(name)
	if !ok {
		s.Problem("expected the name of a time zone such as Europe/Prague", "")
		return time.UTC
	}
	return zone
}

// check reports problems of bounds that are known before a run.
func (w *WindowSettings) check(s Section, attributes expr.Members, now time.Time) {
	if w.rulesOpen {
		return
	}
	scope := firstRunScope(attributes, now)
	for i, bound := range []struct {
		expr    expr.Expr
		section Section
	}{{w.from, WindowsFrom.In(s)}, {w.to, WindowsTo.In(s)}} {
		if bound.expr.RefersBeyond(expr.Attr, expr.Time, expr.Remembered) {
			continue
		}
		v, err := bound.expr.Eval(scope)
		if err != nil || w.open(v.Text()) {
			continue // the run reports it
		}
		if i == 0 && w.startless(v) {
			continue
		}
		if _, problem := w.timeOf(v, now); problem.expected != "" {
			bound.section.Problem(problem.expected, problem.hint)
		}
	}
}

// firstRunScope returns the scope of a run that starts now, without remembered values.
func firstRunScope(attributes expr.Members, now time.Time) *expr.Scope {
	return &expr.Scope{Now: func() time.Time { return now }, Contexts: map[expr.Context]expr.Members{
		expr.Attr: attributes, expr.Time: {"currentStart": value.OfInt(now.Unix()), "previousStart": value.OfInt(0)},
	}}
}

// startless reports whether `from` is blank, which is allowed for a single window.
func (w *WindowSettings) startless(from value.Value) bool {
	return w.rules.Step == (window.Step{}) && from.IsBlank()
}

// boundProblem describes an invalid value of a bound. It is zero if the value is valid.
type boundProblem struct{ expected, hint failure.Text }

// timeOf converts the value of a bound to a time.
func (w *WindowSettings) timeOf(v value.Value, now time.Time) (time.Time, boundProblem) {
	const expected = "expected a time: a number of seconds since 1970, or a text that strtotime understands"
	switch v.Kind() {
	case value.Null:
		return time.Time{}, boundProblem{"expected a time, and there is no value", "give it a \"default\", which also is for the first run"}
	case value.Number:
		seconds, ok := v.Float()
		if !ok || math.Abs(seconds) > php.Farthest {
			return time.Time{}, boundProblem{expected, "the number is beyond what can be reckoned with"}
		}
		whole, _ := v.Int()
		if seconds < float64(whole) { // a fraction before 1970
			whole--
		}
		return time.Unix(whole, 0), boundProblem{}
	case value.String:
		if t, ok := php.StrToTimeIn(v.Raw(), now, w.rules.Zone); ok {
			return t, boundProblem{}
		}
		// Variables and CSV contain only texts, and the state stores long numbers as
		// texts. So a number that strtotime rejects is a Unix time.
		if v.IsNumeric() {
			return w.timeOf(value.OfNumber(decimal.Literal(strings.Trim(v.Raw(), value.Blanks))), now)
		}
		if strings.TrimSpace(v.Raw()) == "" {
			return w.timeOf(value.Value{}, now)
		}
		return time.Time{}, boundProblem{expected, "such as 2024-01-31, 2024-01-31 10:00, yesterday, -7 days"}
	case value.Bool:
		return time.Time{}, boundProblem{expected, "the function strtotime gives false for a text that it does not understand"}
	default:
		return time.Time{}, boundProblem{expected, ""}
	}
}

// Between computes the windows in the scope of a run of the job. secret reports whether a
// bound is a secret. now is the start of the run. An error is a user error.
func (w *WindowSettings) Between(scope *expr.Scope, now time.Time) (all window.Sequence, secret bool, err error) {
	from, err := w.from.Eval(scope)
	if err != nil {
		return all, false, err
	}
	to, err := w.to.Eval(scope)
	if err != nil {
		return all, false, err
	}
	var start time.Time
	open := w.startless(from)
	if !open {
		if start, err = w.boundTime(WindowsFrom, from, now); err != nil {
			return all, false, err
		}
	}
	end, err := w.boundTime(WindowsTo, to, now)
	if err != nil {
		return all, false, err
	}
	if open {
		return w.rules.Until(end), to.Secret(), nil
	}
	first := start
	if w.lookback != (window.Step{}) && w.remembered(scope) {
		first = w.lookback.Before(start.In(w.rules.Zone))
	}
	all, err = w.rules.Between(first, end)
	all.Since = start
	if err != nil {
		err = failure.Wrap("windows", failure.PointerJoin(w.Pointer, windowsStep.Name), err)
	}
	return all, from.Secret() || to.Secret(), err
}

// Known reports whether the windows can be computed before a run, because no setting
// contains a variable with an unknown value.
func (w *WindowSettings) Known(scope *expr.Scope) bool {
	for _, bound := range []expr.Expr{w.from, w.to} {
		if v, err := bound.Eval(scope); err == nil && w.open(v.Text()) {
			return false
		}
	}
	return !w.rulesOpen
}

// remembered reports whether `from` refers to a remembered value that is not blank.
func (w *WindowSettings) remembered(scope *expr.Scope) bool {
	return slices.ContainsFunc(w.from.References(expr.Remembered), func(name string) bool {
		return !scope.Contexts[expr.Remembered][name].IsBlank()
	})
}

// boundTime returns the time of a bound, or a user error.
func (w *WindowSettings) boundTime(setting field.Setting[Section], v value.Value, now time.Time) (time.Time, error) {
	t, problem := w.timeOf(v, now)
	if problem.expected == "" {
		return t, nil
	}
	return t, failure.Userf("'windows.%s': %s%s", setting.Name, problem.expected, hinted(problem.hint)).At(failure.PointerJoin(w.Pointer, setting.Name))
}

func hinted(hint failure.Text) failure.Text {
	if hint == "" {
		return ""
	}
	return "; " + hint
}

// RefersBeyond reports whether a bound refers to a context that is not in the list.
func (w *WindowSettings) RefersBeyond(contexts ...expr.Context) bool {
	return w.from.RefersBeyond(contexts...) || w.to.RefersBeyond(contexts...)
}

// References returns the names in context c that the bounds refer to.
func (w *WindowSettings) References(c expr.Context) []string {
	return append(w.from.References(c), w.to.References(c)...)
}
