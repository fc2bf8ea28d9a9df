package mapping

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// TestAlike: which names may be typing errors for each other.
func TestAlike(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"nmae", "name", true}, {"emial", "email", true}, {"userid", "user_id", true}, {"userId", "user_id", true}, {"ID", "id", true}, {"names", "name", true},
		{"created_att", "created_at", true}, {"creatd_att", "created_at", true}, {"ünit", "unit", true},
		{"name", "name", false}, {"phone1", "phone2", false}, {"phone", "phone2", false}, {"address_line_1", "address_line_2", false},
		{"cc", "bcc", false}, {"to", "no", false}, {"state", "status", false}, {"created_at", "updated_at", false}, {"start", "stop", false}, {"", "a", false},
	}
	for _, tt := range tests {
		if got := similarNames(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}

// TestGaps: names that come late, items that are nothing, and values that are there but
// empty.
func TestGaps(t *testing.T) {
	tests := []struct {
		name, mapping string
		rows          []string
		repeat        int // how often the first row comes before the others
		want          []string
	}{
		{"null is there", `{"a":"A"}`, []string{`{"a":null}`}, 1, nil},
		{"an item late", `{"name":"A"}`, []string{`{"b":1}`, `{"name":1}`}, 1000, nil},
		{"a near name late", `{"nmae":"A"}`, []string{`{"b":1}`, `{"name":1}`, `{"name":1}`}, 190, []string{"nmae near name"}},
		{"a name that another setting reads", `{"nmae":"A","name":"B"}`, []string{`{"name":1}`}, 1, []string{"nmae near "}},
		{"a name that another path reads", `{"nmae":"A","x":{"or":"name","mapping":{"destination":"B"}}}`, []string{`{"name":1}`}, 1, []string{"nmae near "}},
		{"no items", `{"name":"A"}`, []string{`null`}, 1, nil},
		{"into a scalar", `{"a.name":"A"}`, []string{`{"a":5}`}, 1, []string{"a.name near "}},
		{"another separator", `{"a/nmae":{"delimiter":"/","mapping":{"destination":"A"}}}`, []string{`{"a":{"name":1}}`}, 1, []string{"a/nmae near a/name"}},
		{"a name with dots", `{"a.b":"A"}`, []string{`{"a.b":1}`}, 1, nil},
		{"the item itself", `{".":"A"}`, []string{`5`}, 1, nil},
		{"the key 0", `{"id":{"mapping":{"destination":"id","primaryKey":true}}}`, []string{`{"id":0}`, `{"id":"0"}`, `{"id":false}`}, 1, nil},
		{"a key from another path", `{"id":{"or":"key","mapping":{"destination":"id","primaryKey":true}}}`, []string{`{"key":1}`, `{"id":"","key":2}`}, 1, nil},
		{"an optional child with a key", `{"id":{"mapping":{"destination":"id","primaryKey":true}},"c":{"type":"table","destination":"c","tableMapping":{"x":{"mapping":{"destination":"x","primaryKey":true}}}}}`, []string{`{"id":1,"c":null}`, `{"id":1,"c":[{"x":1}]}`}, 1, nil},
		{"a child's key", `{"c":{"type":"table","destination":"c","tableMapping":{"x":{"mapping":{"destination":"x","primaryKey":true}}}}}`, []string{`{"c":[{"x":1},{"x":null}]}`}, 1, []string{"1 rows"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := csvtable.NewSet(t.TempDir(), t.TempDir())
			defer set.Abort()
			c := NewConfigured(mappingsOf(t, `{"t":`+tt.mapping+`}`), set)
			rows := tt.rows
			for range tt.repeat - 1 {
				rows = append([]string{tt.rows[0]}, rows...)
			}
			for _, row := range rows {
				if err := c.Batch("t", nil).Row(pack(testvalue.Parse(t, row))); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, gap := range c.Gaps() {
				if gap.Rows > 0 {
					got = append(got, string(rune('0'+gap.Rows))+" rows")
				} else {
					got = append(got, gap.Path+" near "+gap.Near)
				}
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("got %q, want %q", got[i], tt.want[i])
				}
			}
		})
	}
}
