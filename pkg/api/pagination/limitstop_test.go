package pagination

import "testing"

func TestLimitStop(t *testing.T) {
	count := func(n string) string {
		return `{"method":"offset","limit":2,"limitStop":{"count":` + n + `}}`
	}
	const field = `{"method":"offset","limit":2,"limitStop":{"field":"p.total"}}`
	page := func(total string) string { return `{"r":[1,2],"p":{"total":` + total + `}}` }
	sent := []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`, `t {"limit":2,"offset":4}`}
	tests := []sequence{
		{name: "exactly", settings: count(`4`), responses: []string{rows(2), rows(2)},
			sent: sent[:2], rule: "the number of rows (4) has reached the limit of 4", pointer: "/limitStop/count"},
		{name: "as a text", settings: count(`"4"`), responses: []string{rows(2), rows(2)},
			sent: sent[:2], rule: "the number of rows (4) has reached the limit of 4", pointer: "/limitStop/count"},
		{name: "the scroller is faster", settings: count(`4`), responses: []string{rows(2), rows(1)},
			sent: sent[:2], rule: "the page has fewer rows (1) than the page size (2)", pointer: "/limit"},
		{name: "every page states the number", settings: field, responses: []string{page(`3`), page(`"4"`)},
			sent: sent[:2], rule: "the number of rows (4) has reached the limit of 4", pointer: "/limitStop/field"},
		{name: "a number beyond 64 bits is not reached", settings: field, responses: []string{page(`99999999999999999999`), page(`"1e30"`)}, sent: sent},
		{name: "one below 0 is", settings: field, responses: []string{page(`-99999999999999999999`)},
			sent: sent[:1], rule: "the number of rows (2) has reached the limit of -9223372036854775808", pointer: "/limitStop/field"},
		{name: "a number that grows", settings: field, responses: []string{page(`3`), page(`5`)}, sent: sent},
	}
	for _, total := range []string{`null`, `"many"`, `[]`, `{}`, `true`, `0`} {
		tests = append(tests, sequence{name: "what is not a number counts as 0: " + total, settings: field, responses: []string{`{"r":{},"p":{"total":` + total + `}}`},
			sent: sent[:1], rule: "the number of rows (0) has reached the limit of 0", pointer: "/limitStop/field"})
	}
	tests = append(tests, sequence{name: "a missing number", settings: field, responses: []string{rows(2)},
		sent: sent[:1], rule: "the number of rows (2) has reached the limit of 0", pointer: "/limitStop/field"})
	testSequences(t, tests)
}
