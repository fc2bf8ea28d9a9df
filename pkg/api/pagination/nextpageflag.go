package pagination

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// nextPageFlag ends a job depending on a member of the response. False and empty values
// are false, all other values are true.
type nextPageFlag struct {
	field           string
	stopOn          bool
	ifNotSet        bool // value of a missing member
	stopOnPointer   string
	ifNotSetPointer string // pointer of the setting that determines ifNotSet
}

// Settings of `nextPageFlag`.
var (
	NextPageFlag = field.Of("nextPageFlag", "Stop by a flag", "Stops depending on a field of the response.",
		field.Object("nextPageFlag", "Stop by a flag", "Looks at one value of each response. Missing, false, zero and empty values are false, everything else is true.",
			FlagField, StopOn, ifNotSetSetting))
	FlagField       = field.Text("field", "Field", "Path of the value in the response.").As(field.Path).Must().Example(`"has_more"`)
	StopOn          = field.Of("stopOn", "Stop on", "With `true`, pagination stops when the field is true; with `false`, when it is false.", field.BooleanType).Must().Example(`false`)
	ifNotSetSetting = field.Of("ifNotSet", "If not set", "Whether a missing field counts as true or false; by default it counts as the value of `stopOn`.", field.BooleanType).Example(`false`)
)

// compileNextPageFlag does not report missing required keys, because the declaration of
// the settings does.
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
	return stopper{ofRound: true, needs: Requirements{Fields: n.paths()}, announces: n.announces, after: n.after, describe: n.describe()}
}

// paths returns the paths where the member may be. The first path takes the whole text as
// a name in the root, which was the only meaning before the field could be a path.
func (n nextPageFlag) paths() []response.Path {
	paths := []response.Path{{Text: n.field}}
	if strings.Trim(n.field, ".") != "" && strings.Contains(n.field, ".") {
		paths = append(paths, response.Path{Text: n.field, Separator: "."})
	}
	return paths
}

// flag returns the value of the flag in a page, or null. A list has no names, even if the
// field looks like an index.
func (n nextPageFlag) flag(p PageInfo) (flag value.Value, err error) {
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

func (n nextPageFlag) after(s State, p PageInfo) (State, *Stop, error) {
	flag, err := n.flag(p)
	if err != nil {
		return nil, nil, err
	}
	switch taken := !isMissing(flag); {
	case flag.IsNull():
		if n.ifNotSet == n.stopOn {
			stop := &Stop{Rule: fmt.Sprintf("the response has no value in the field '%s', which counts as %t", n.field, n.ifNotSet), Pointer: n.ifNotSetPointer}
			if n.ifNotSetPointer != n.stopOnPointer {
				stop.Reason = Deliberate // ifNotSet is set explicitly
			}
			return nil, stop, nil
		}
	case taken == n.stopOn:
		return nil, &Stop{Rule: fmt.Sprintf("the field '%s' is %t", n.field, taken), Pointer: n.stopOnPointer, Reason: Deliberate}, nil
	}
	return s, nil, nil
}

func (n nextPageFlag) announces(p PageInfo) string {
	flag, err := n.flag(p)
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
	return text + "; a missing field lets it continue."
}
