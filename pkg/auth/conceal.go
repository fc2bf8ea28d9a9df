package auth

import (
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shortest is the length from which any text of a login's answer is masked. A
// shorter one (a status "ok", a count) is masked only where a request carries
// it: it would make every message unreadable.
const shortest = 4

// hide keeps a secret out of every event: for good, as long as tokens come and
// go, or for a request (event.Secrets has a method for each).
type hide func(secret string)

// conceal hides what a login returned, but for the path that tells when the
// credentials end, which is no secret and worth telling.
func conceal(hide hide, answer value.Value, expiry string) {
	for path, leaf := range expr.Flatten(answer) {
		if len(leaf.Raw()) >= shortest && (expiry == "" || path != expiry) {
			concealText(hide, leaf)
		}
	}
}

// concealComputed hides what an authentication computes. What was written as it
// is, or as a mere reference to the configuration or to the request, is no secret
// by that.
func concealComputed(hide hide, written, computed value.Value) {
	if written.Kind() != value.Object || isReference(written, expr.Attr, expr.Query, expr.Request) {
		return
	}
	if computed.IsScalar() {
		concealText(hide, computed)
		return
	}
	conceal(hide, computed, "")
}

// concealText hides a scalar, in the spelling of the answer and in those of a
// request.
func concealText(hide hide, v value.Value) {
	if v.Kind() == value.String || v.Kind() == value.Number {
		for _, spelling := range event.Spellings(v) {
			hide(spelling)
		}
	}
}
