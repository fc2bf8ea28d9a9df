package php

import (
	"regexp"
	"sync"
)

// tokenRule is one form of a token.
type tokenRule struct {
	pattern *regexp.Regexp
	// apply adds the token to the moment. It returns false if they contradict each other.
	apply func(m *moment, t token) bool
}

type addRule func(pattern string, apply func(*moment, token) bool)

// Parts of the patterns, for lower-case text. "lz" means with a leading zero.
const (
	reHour24   = `(?:[01]?[0-9]|2[0-4])`
	reHour24lz = `(?:[01][0-9]|2[0-4])`
	reHour12   = `(?:0?[1-9]|1[0-2])`
	reMinute   = `[0-5]?[0-9]`
	reMinutelz = `[0-5][0-9]`
	reSecond   = `(?:[0-5]?[0-9]|60)`
	reSecondlz = `(?:[0-5][0-9]|60)`

	reDay     = `(?:[0-2]?[0-9]|3[01])`
	reDaylz   = `(?:[0-2][0-9]|3[01])`
	reMonth   = `(?:0?[0-9]|1[0-2])`
	reMonthlz = `(?:0[0-9]|1[0-2])`
	reYear    = `[0-9]{1,4}`
	reYear4   = `[0-9]{4}`

	reSuffix     = `(?:[ \t]*(?:st|nd|rd|th))?`
	reBetween    = `[ .\t-]*`
	reAfterDay   = `[,.stndrh\t ]+`
	reMonthName3 = `(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)`
	reMonthName  = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?|september|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	reWeekday    = `(?:sun(?:days?)?|mon(?:days?)?|tue(?:sdays?)?|wed(?:nesdays?)?|thu(?:rsdays?)?|fri(?:days?)?|sat(?:urdays?)?)`

	reOrdinal = `(?:first|second|third|fourth|fifth|sixth|seventh|eighth?|ninth|tenth|eleventh|twelfth)`
	reWhich   = `(?:next|last|previous|this)`
	reUnit    = `(?:(?:sec|second|min|minute|hour|day|weekday|fortnight|month|year)s?|weeks|` + reWeekday + `)`

	reClock24 = `t?(` + reHour24 + `)[:.](` + reMinute + `)(?:[:.](` + reSecond + `)(?:\.[0-9]+)?)?`
	reClock12 = `(` + reHour12 + `)(?:[:.](` + reMinutelz + `)(?:[:.](` + reSecondlz + `))?)?[ \t]*([ap])\.?m\.?(?:[ \t]|$)`
	reOffset  = `[+-]` + reHour24 + `(?::?` + reMinute + `)?`
	reDayOnly = `(` + reMonthName + `)` + reBetween + `(` + reDay + `)`
)

// tokenRules returns all forms of tokens. If several matches have the same length, the
// first form wins: keywords come before time zones, and times before dates ("04.10.17" is
// a time of day).
var tokenRules = sync.OnceValue(func() []tokenRule {
	var rules []tokenRule
	add := func(pattern string, apply func(*moment, token) bool) {
		compiled := regexp.MustCompile(`^(?:` + pattern + `)`)
		compiled.Longest()
		rules = append(rules, tokenRule{compiled, apply})
	}
	addKeywords(add)
	addTimes(add)
	addDates(add)
	addRelatives(add)
	add(`(?:gmt)?`+reOffset, (*moment).offset)
	add(`\(?[a-z]{1,6}\)?|[a-z]+(?:/[a-z_-]+)+`, (*moment).zoneName)
	add(`[ .,\t]`, func(*moment, token) bool { return true })
	return rules
})

func addKeywords(add addRule) {
	add(`now`, func(*moment, token) bool { return true })
	add(`today|midnight`, func(m *moment, _ token) bool { return m.dayStart(0) })
	add(`tomorrow`, func(m *moment, _ token) bool { return m.dayStart(1) })
	add(`yesterday`, func(m *moment, _ token) bool { return m.dayStart(-1) })
	add(`noon`, func(m *moment, _ token) bool { m.dayStart(0); return m.setTime(12, 0, 0) })
	add(`@(-?[0-9]+)(?:\.[0-9]*)?`, (*moment).epoch)
	add(`(first|last)[ \t]day[ \t]of`, (*moment).edgeOfMonth)
	add(`(`+reOrdinal+`|`+reWhich+`)[ \t]+(`+reWeekday+`)[ \t]+of`, (*moment).weekdayOfMonth)
}

func addTimes(add addRule) {
	add(reClock12, func(m *moment, t token) bool {
		return m.setTime(hourOf(t.group(1), t.group(4)), numberOf(t.group(2)), numberOf(t.group(3)))
	})
	add(reClock24+`|t(`+reHour24+`)`, func(m *moment, t token) bool {
		return m.setTime(numberOf(t.group(1)+t.group(4)), numberOf(t.group(2)), numberOf(t.group(3)))
	})
	add(`t?(`+reHour24lz+`)(`+reMinutelz+`)`, (*moment).fourDigits)
	add(`(back|front) of (`+reHour24+`)(?:[ \t]*([ap])\.?m\.?(?:[ \t]|$))?`, (*moment).aroundHour)
	add(`t?(`+reHour24lz+`)(`+reMinutelz+`)(`+reSecondlz+`)`, func(m *moment, t token) bool {
		return m.setTime(numberOf(t.group(1)), numberOf(t.group(2)), numberOf(t.group(3)))
	})
}

func addDates(add addRule) {
	// date adds a form with the numbers of its groups. 0 means that a part is missing.
	date := func(year, month, day int, pattern string) {
		add(pattern, func(m *moment, t token) bool {
			part := func(i int) string {
				if i == 0 {
					return ""
				}
				return t.group(i)
			}
			return m.setDate(yearOf(part(year)), monthOf(part(month)), dayOf(part(day)))
		})
	}
	date(3, 1, 2, `(`+reMonth+`)/(`+reDay+`)(?:/(`+reYear+`))?`)
	date(1, 2, 3, `(`+reYear4+`)/(`+reMonth+`)/(`+reDay+`)/?`)
	date(1, 2, 3, `(`+reYear+`)-(`+reMonth+`)-(`+reDay+`)`)
	date(1, 2, 3, `(`+reYear4+`)(`+reMonthlz+`)(`+reDaylz+`)`)
	date(3, 2, 1, `(`+reDay+`)[.\t-](`+reMonth+`)[.-](`+reYear4+`)`)
	date(3, 2, 1, `(`+reDay+`)[.\t](`+reMonth+`)\.([0-9]{2})`)
	date(3, 2, 1, `(`+reDay+`)`+reSuffix+reBetween+`(`+reMonthName+`)`+reBetween+`(`+reYear+`)`)
	date(0, 2, 1, `(`+reDay+`)`+reSuffix+reBetween+`(`+reMonthName+`)`)
	date(3, 1, 2, reDayOnly+reAfterDay+`(`+reYear+`)`)
	date(0, 1, 2, reDayOnly+`(?:`+reAfterDay+`|$)`)
	date(3, 1, 2, `(`+reMonthName3+`)-(`+reDaylz+`)-(`+reYear+`)`)
	date(1, 2, 3, `(`+reYear+`)-(`+reMonthName3+`)-(`+reDaylz+`)`)

	// Dates and times in the logs of web servers, and in photographs.
	add(`(`+reDay+`)/(`+reMonthName3+`)/(`+reYear4+`):(`+reHour24lz+`):(`+reMinutelz+`):(`+reSecondlz+`)[ \t]+((?:gmt)?`+reOffset+`)`, (*moment).logTime)
	add(`(`+reYear4+`):(`+reMonthlz+`):(`+reDaylz+`) (`+reHour24lz+`):(`+reMinutelz+`):(`+reSecondlz+`)`, func(m *moment, t token) bool {
		return m.setDate(yearOf(t.group(1)), monthOf(t.group(2)), dayOf(t.group(3))) &&
			m.setTime(numberOf(t.group(4)), numberOf(t.group(5)), numberOf(t.group(6)))
	})

	firstOfMonth := func(year, month int, pattern string) {
		add(pattern, func(m *moment, t token) bool {
			return m.setDate(yearOf(t.group(year)), monthOf(t.group(month)), known(1))
		})
	}
	firstOfMonth(1, 2, `(`+reYear4+`)-(`+reMonth+`)`)
	firstOfMonth(2, 1, `(`+reMonthName+`)`+reBetween+`(`+reYear4+`)`)
	firstOfMonth(1, 2, `(`+reYear4+`)`+reBetween+`(`+reMonthName+`)`)

	// A month with its day and a time. Without this form the hour would be read as a
	// year.
	add(reDayOnly+reAfterDay+reClock24, func(m *moment, t token) bool {
		return m.setDate(part{}, monthOf(t.group(1)), dayOf(t.group(2))) &&
			m.setTime(numberOf(t.group(3)), numberOf(t.group(4)), numberOf(t.group(5)))
	})
	add(reDayOnly+reAfterDay+reClock12, func(m *moment, t token) bool {
		return m.setDate(part{}, monthOf(t.group(1)), dayOf(t.group(2))) &&
			m.setTime(hourOf(t.group(3), t.group(6)), numberOf(t.group(4)), numberOf(t.group(5)))
	})

	add(`(`+reYear4+`)-?w(0[1-9]|[1-4][0-9]|5[0-3])(?:-?([0-7]))?`, (*moment).isoWeek)
	add(`(`+reYear4+`)[.-]?(00[1-9]|0[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-6])`, func(m *moment, t token) bool {
		return m.setDate(yearOf(t.group(1)), known(1), dayOf(t.group(2)))
	})
	add(`(`+reYear4+`)`, func(m *moment, t token) bool { return m.setYear(yearOf(t.group(1))) })
	add(`(`+reMonthName+`)`, func(m *moment, t token) bool { return m.setDate(part{}, monthOf(t.group(1)), part{}) })
}

func addRelatives(add addRule) {
	add(`ago`, (*moment).ago)
	add(`(`+reWeekday+`|weekdays?)`, (*moment).comingWeekday)
	add(`(`+reWhich+`)[ \t]+week`, (*moment).weekAround)
	add(`(`+reOrdinal+`|`+reWhich+`)[ \t]+(`+reUnit+`)`, (*moment).relativeWord)
	add(`([+-]*)[ \t]*([0-9]{1,13})[ \t]*(`+reUnit+`|week)`, (*moment).relativeNumber)
}
