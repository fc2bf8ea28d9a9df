package pagination

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// textCursor pages by the id of the last item (of the first with reverse). The next
// request sends this id unchanged. A page without rows is the last page.
type textCursor struct{ cursor }

func (c textCursor) scroller() Scroller {
	s := c.cursor.scroller()
	s.First, s.Next, s.Describe = nil, c.next, c.describe
	// A job with its own cursor starts after it.
	s.FromStart = func(job config.RequestSpec) bool {
		own, _ := c.param.ownValue(job)
		return own.Empty()
	}
	s.Place = func(names []string) Scroller {
		c.param = c.param.withPlacedValues(names)
		return c.scroller()
	}
	return s
}

func (c textCursor) next(job config.RequestSpec, _ State, p PageInfo) (config.RequestSpec, State, *Stop, error) {
	if p.Rows == 0 {
		return job, nil, &Stop{Rule: "the page is empty", Pointer: c.idKeyPointer}, nil
	}
	id := p.IDs.Last
	if c.reverse {
		id = p.IDs.First
	}
	if k := id.Kind(); k != value.Number && k != value.String || id.Raw() == "" {
		return job, nil, nil, failure.Userf("the cursor value at '%s' of the %s item of the page is neither a text nor a number: %s%s", c.idKey.Text, c.itemName(), excerpt(id), c.wholeValueHint(id)).At(c.idKeyPointer)
	}
	return c.param.set(job, id), nil, nil, nil
}

// wholeValueHint returns a hint for a cursor that is an object or a list.
func (c textCursor) wholeValueHint(id value.Value) failure.Text {
	if id.IsScalar() || id.IsNull() {
		return ""
	}
	at := failure.Text("-1")
	if c.reverse {
		at = "0"
	}
	return "; the method 'response.param' sends it whole: set 'responseParam' to its path in the response, such as 'items." + at + "." + failure.Part(c.idKey.Text) + "'"
}

func (c textCursor) itemName() string {
	if c.reverse {
		return "first"
	}
	return "last"
}

func (c textCursor) describe(config.RequestSpec) []string {
	return []string{fmt.Sprintf("Each request after the first has %s = %q of the %s row of the previous page, until a page is empty.", c.param, c.idKey.Text, c.itemName())}
}
