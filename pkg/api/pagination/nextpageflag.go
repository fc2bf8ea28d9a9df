package pagination

import (
	"fmt"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// nextPageFlag ends a job when a property of the response says so: false and
// what is empty are false, everything else is true.
type nextPageFlag struct {
	field           string
	stopOn          bool
	ifNotSet        bool // what a missing property is taken for
	stopOnPointer   string
	ifNotSetPointer string // the setting behind ifNotSet
}

// NextPageFlag is the setting, with its own.
var (
	NextPageFlag = field.Of("nextPageFlag", "Stop by a flag", "Stops depending on a field of the response.",
		field.Object("nextPageFlag", "Stop by a flag", "Looks at one value of each response. Missing, false, zero and empty values are false, everything else is true.",
			FlagField, StopOn, ifNotSetSetting))
	FlagField       = field.Text("field", "Field", "Path of the value in the response.").As(field.Path).Must().Example(`"has_more"`)
	StopOn          = field.Of("stopOn", "Stop on", "With `true`, paging stops when the field is true; with `false`, when it is false.", field.BooleanType).Must().Example(`false`)
	ifNotSetSetting = field.Of("ifNotSet", "If not set", "Whether a missing field counts as true or false; by default it counts as the value of `stopOn`.", field.BooleanType).Example(`false`)
)

// compileNextPageFlag leaves it to the declaration to miss the keys that must be
// there.
func compileNextPageFlag(s config.Section) stopper {
	name, stopOn, ifNotSet := FlagField.In(s), StopOn.In(s), ifNotSetSetting.In(s)
	if !name.Present() && !name.Value.IsNull() {
		name.Problem("expected the name of a field", "")
	}
	n := nextPageFlag{field: FlagField.Of(s), stopOn: boolean(stopOn), stopOnPointer: stopOn.Pointer}
	n.ifNotSet, n.ifNotSetPointer = n.stopOn, n.stopOnPointer
	if !ifNotSet.Value.IsNull() {
		n.ifNotSet, n.ifNotSetPointer = boolean(ifNotSet), ifNotSet.Pointer
	}
	return n
}

// paths are where the property may be: its whole text is a name in the root, else a
// path. The name comes first, because it was all there was once.
func (n nextPageFlag) paths() []response.Path {
	paths := []response.Path{{Text: n.field}}
	if strings.Trim(n.field, ".") != "" && strings.Contains(n.field, ".") {
		paths = append(paths, response.Path{Text: n.field, Separator: "."})
	}
	return paths
}

func (n nextPageFlag) needs() Requirements { return Requirements{Fields: n.paths()} }

// of is the property of a page, null for none. A list has no names, even if the field
// is called like an index.
func (n nextPageFlag) of(p PageInfo) (flag value.Value, err error) {
	for i, path := range n.paths() {
		if i == 0 && p.Root == value.Array {
			continue
		}
		if flag, err = p.field(path, n.stopOnPointer); err != nil || !flag.IsNull() {
			return flag, err
		}
	}
	return flag, nil
}

func (nextPageFlag) counts() bool { return false }

func (nextPageFlag) start(time.Time) State { return nil }

func (n nextPageFlag) after(s State, p PageInfo) (State, *Stop, error) {
	flag, err := n.of(p)
	if err != nil {
		return nil, nil, err
	}
	switch taken := !isMissing(flag); {
	case flag.IsNull():
		if n.ifNotSet == n.stopOn {
			stop := &Stop{Rule: fmt.Sprintf("the response has no value in the field '%s', which counts as %t", n.field, n.ifNotSet), Pointer: n.ifNotSetPointer}
			if n.ifNotSetPointer != n.stopOnPointer {
				stop.Reason = Deliberate // ifNotSet says so
			}
			return nil, stop, nil
		}
	case taken == n.stopOn:
		return nil, &Stop{Rule: fmt.Sprintf("the field '%s' is %t", n.field, taken), Pointer: n.stopOnPointer, Reason: Deliberate}, nil
	}
	return s, nil, nil
}

// announces implements announcing.
func (n nextPageFlag) announces(p PageInfo) string {
	flag, err := n.of(p)
	if err != nil || flag.IsNull() || !isMissing(flag) == n.stopOn {
		return ""
	}
	return n.field
}

func (n nextPageFlag) describe() string {
	text := fmt.Sprintf("Stops after a page whose field %q is %t", n.field, n.stopOn)
	if n.ifNotSet == n.stopOn {
		return text + ", or missing."
	}
	return text + "; a missing one lets it continue."
}
