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
		if path == expiry {
			continue
		}
		if leaf.Kind() != value.Bool && len(leaf.Raw()) >= shortest {
			secrets.Add(leaf.Raw())
		}
	}
}

// concealComputed keeps what an authentication puts into a request out of every
// event.
func concealComputed(secrets *event.Secrets, v value.Value) {
	items := []value.Value{v}
	if v.Kind() == value.Array {
		items = v.Items()
	}
	for _, item := range items {
		if item.Kind() == value.String || item.Kind() == value.Number {
			secrets.Add(item.Text())
		}
	}
}
