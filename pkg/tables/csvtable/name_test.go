package csvtable

import (
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestStoredName(t *testing.T) {
	rows := []struct{ name, given, want string }{
		{"plain", "user_ID2", "user_ID2"},
		{"digits first", "2nd", "2nd"},
		{"dash", "first-name", "first_name"},
		{"marks and punctuation", "Größe (cm)", "Grosse_cm"},
		{"a letter and its mark apart", "e\u0301te\u0301", "ete"},
		{"Czech", "Příliš žluťoučký", "Prilis_zlutoucky"},
		{"Polish and Danish", "Łódź Ærø", "Lodz_AEro"},
		{"Icelandic", "það Þ", "thad_TH"},
		{"compatibility forms", "m² ﬁx ＡＢ", "m2_fix_AB"},
		{"another script between", "a 日本 b", "a_b"},
		{"one for a run", "a  -.- b", "a_b"},
		{"underscores are not a run", "a__b", "a__b"},
		{"underscores at the ends", "__a b__", "a_b"},
		{"a run at the ends", "(a)", "a"},
		{"a run beside an underscore", "a_ b", "a__b"},
		{"reserved name without its underscore", "timestamp", "timestamp"},
		{"reserved name and more", "_timestamp2", "timestamp2"},
		{"column of a database", "oid", "oid_"},
		{"column of a database after all", "(xmin)", "xmin_"},
		{"such a name in capitals", "CTID", "CTID"},
		{"part of such a name", "cmaxx", "cmaxx"},
		{"not UTF-8", "a\xffb", "a_b"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got, err := StoredName(row.given); err != nil || got != row.want {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
	for _, row := range []struct{ given, want string }{
		{"_timestamp", `column "_timestamp" is reserved`},
		{"_TimeStamp", `column "_TimeStamp" is reserved`},
		{"", `column "" cannot be stored`},
		{"_-_", `column "_-_" cannot be stored`},
		{"日本", `column "日本" cannot be stored`},
	} {
		if got, err := StoredName(row.given); err == nil || !strings.Contains(err.Error(), row.want) || failure.KindOf(err) != failure.User {
			t.Errorf("%q: got %q, %v, want a user error with %q", row.given, got, err, row.want)
		}
	}
}

func FuzzStoredName(f *testing.F) {
	for _, name := range []string{"", "_timestamp", "oid", "oid_", "Größe (cm)", "a--b", "ŉ", "\xff", "ﷺ"} {
		f.Add(name)
	}
	allowed := regexp.MustCompile(`^[0-9A-Za-z_]*[0-9A-Za-z]_?$`)
	f.Fuzz(func(t *testing.T, name string) {
		stored, err := StoredName(name)
		if err != nil {
			return
		}
		if !allowed.MatchString(stored) || stored[0] == '_' {
			t.Errorf("%q: %q", name, stored)
		}
		if again, err := StoredName(stored); err != nil || again != stored {
			t.Errorf("%q: stored as %q, that one as %q, %v", name, stored, again, err)
		}
	})
}
