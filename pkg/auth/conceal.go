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

// conceal keeps what a login returned out of every event, but for the path that
// tells when the credentials end, which is no secret and worth telling.
func conceal(secrets *event.Secrets, answer value.Value, expiry string) {
	for path, leaf := range expr.Flatten(answer) {
		if len(leaf.Raw()) >= shortest && (expiry == "" || path != expiry) {
			concealText(secrets, leaf)
		}
	}
}

// concealComputed keeps what an authentication computes out of every event.
// What was written as it is, or as a mere reference to the configuration or to
// the request, is no secret by that.
func concealComputed(secrets *event.Secrets, written, computed value.Value) {
	if written.Kind() != value.Object || isReference(written, expr.Attr, expr.Query, expr.Request) {
		return
	}
	if computed.IsScalar() {
		concealText(secrets, computed)
		return
	}
	conceal(secrets, computed, "")
}

// concealText keeps a scalar out of every event, in the spelling of the answer
// and in that of a request.
func concealText(secrets *event.Secrets, v value.Value) {
	if v.Kind() == value.String || v.Kind() == value.Number {
		secrets.AddPassing(v.Raw())
		secrets.AddPassing(v.Text())
	}
}
