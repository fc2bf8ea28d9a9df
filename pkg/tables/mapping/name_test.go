package mapping

import (
	"regexp"
	"strings"
	"testing"
)

func TestSafeName(t *testing.T) {
	rows := []struct{ name, text, want string }{
		{"endpoint", `a/b.c?x=1`, `a_b_c_x_1`},
		{"placeholder", `c/{id}`, `c_id`},
		{"blanks, dots, a letter of two bytes", `My Type/with.dots-ě_`, `My_Type_with_dots-`},
		{"dashes stay", `-a--b-`, `-a--b-`},
		{"nothing left", `ě`, ``},
		{"empty", ``, ``},
		{"64 bytes", strings.Repeat("ab_", 21) + "c", strings.Repeat("ab_", 21) + "c"},
		{"long path", `data.modules.#DistributionGroups.outputs.groupCharacteristics.persistent`,
			`d_DistributionGroups_outputs_groupCharacteristics_persistent`},
		{"long path, initials after dashes", `x-y.modules.#DistributionGroups.outputs.groupCharacteristics.persistent`,
			`xy_DistributionGroups_outputs_groupCharacteristics_persistent`},
		{"one long word", strings.Repeat("a", 65), md5hex(strings.Repeat("a", 65))},
		{"long words of the first and the last letters", strings.Repeat("a", 40) + ".Z.z.A." + strings.Repeat("b", 30), `a_Z_z_A_` + strings.Repeat("b", 30)},
		{"one long word and a tail of digits", strings.Repeat("a", 65) + ".1", md5hex(strings.Repeat("a", 65)+"_1") + "_1"},
		{"long words without a place to cut", strings.Repeat("a", 40) + "." + strings.Repeat("b", 70), `a`},
		{"long without words", strings.Repeat("1", 70), md5hex(strings.Repeat("1", 70))},
		{"no more than fits after initials", strings.Repeat("b-", 20) + strings.Repeat("c", 20) + "_" + strings.Repeat("d", 41),
			strings.Repeat("b", 20) + "c_" + strings.Repeat("d", 41)},
		{"one more than fits", strings.Repeat("b-", 20) + strings.Repeat("c", 20) + "_" + strings.Repeat("d", 42),
			strings.Repeat("b", 20) + "c"},
		{"as many initials as fit, and a second word", strings.Repeat("b-", 63) + "c_d", md5hex(strings.Repeat("b-", 63)+"c_d") + "_d"},
		{"more initials than fit", strings.Repeat("b-", 70) + "c", md5hex(strings.Repeat("b-", 70) + "c")},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := TableName(row.text); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// TestHashOfLongNames: only a long name needs its hash. A configuration has many names, and
// nearly all of them are short.
func TestHashOfLongNames(t *testing.T) {
	for size, want := range map[int]bool{maxName: false, maxName + 1: true} {
		if b := newNameBuilder(strings.Repeat("a", size)); (b.sum != nil) != want {
			t.Errorf("%d bytes: has a hash: %t", size, !want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, text := range []string{"", "a/b", "ě", strings.Repeat("a", 65), strings.Repeat("a-", 99), "__a__", strings.Repeat("a_b-", 40)} {
		f.Add(text)
	}
	form := regexp.MustCompile(`^([A-Za-z0-9-]+(_[A-Za-z0-9-]+)*)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		got := TableName(text)
		if len(got) > maxName || !form.MatchString(got) {
			t.Errorf("%q: %q is not a safe name", text, got)
		}
		if again := TableName(got); again != got {
			t.Errorf("%q: %q is safe, but changes to %q", text, got, again)
		}
	})
}
