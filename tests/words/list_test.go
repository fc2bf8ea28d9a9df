package words

// word is a word, or several, that no text of ours uses.
type word struct {
	pattern string // a regular expression; a blank is any white space
	instead string
	// but are phrases in which the word is plain English.
	but []string
}

// words are hardly ever right: obsolete, poetic, or English as other languages have it.
var words = []word{
	{pattern: `mend(s|ed|ing)?`, instead: "fix"},
	{pattern: `cures?|cured|curing`, instead: "fix"},
	{pattern: `nobody`, instead: "no one"},
	{pattern: `tells?|telling|told`, instead: "report, say, state, show; tell apart: distinguish"},
	{pattern: `whoever|whomever|whosoever`, instead: "anyone who, or what it is: a client that"},
	{pattern: `whatever|whatsoever`, instead: "any, every, regardless of, no matter what"},
	{pattern: `wherefore|whence|hence|thence|thus|thereby|therein|thereof|whereby|wherein|whereof|herein|hereby`, instead: "so, by this, in it"},
	{pattern: `lest|albeit|notwithstanding|nought|naught|aught|ere|till`, instead: "a common word"},
	{pattern: `anew|afresh`, instead: "again"},
	{pattern: `upon`, instead: "on"},
	{pattern: `shall`, instead: "must, will"},
	{pattern: `(go|goes|going|went|gone) on`, instead: "continue"},
	{pattern: `(ask|asks|asked|asking) for`, instead: "request, want", but: []string{"ask for help"}},
	{pattern: `stands? (in|at|on|before|behind|below|beside|above|under|after|between|there|where|alone|together|first|around|outside|elsewhere)|what stands`, instead: "is, are"},
	{pattern: `(takes?|took) long`, instead: "takes a long time"},
	{pattern: `there is it|is there it`, instead: "it is there"},
	{pattern: `the one who`, instead: "anyone who, you"},
	{pattern: `nothing but`, instead: "only"},
	{pattern: `(what|that|which|who) is no`, instead: "is not a", but: []string{"(what|that|which|who) is no longer"}},
	{pattern: `now and then|by and by|ever and again`, instead: "occasionally, gradually"},
	{pattern: `at hand`, instead: "current"},
	{pattern: `behind (the|a|an) (end|last|first|answer|item|row|page|header|element|number|colon|id|name)|(one|lies|lie|begins|continues|comes) behind`, instead: "after"},
	{pattern: `leash(es|ed)?`, instead: "bounded decoder"},
	{pattern: `tally|tallies|tallied`, instead: "count, statistics"},
	{pattern: `in vain|comes to nothing`, instead: "without success, fails"},
	{pattern: `lies (in|at|on|behind|below|beside|beyond)`, instead: "is"},
	{pattern: `(as|than|what) lay about`, instead: "was left"},
	{pattern: `turned round`, instead: "reversed"},
	{pattern: `gives? back|gave back`, instead: "return"},
	{pattern: `as ever`, instead: "as usual"},
	{pattern: `so many (rows|bytes|pages|characters|lists|items) (above|of)`, instead: "a given number of"},
	{pattern: `for (they|it|he|she|there) (is|are|has|have|says?|was|were)`, instead: "because"},
	{pattern: `beget|begets|befalls?|befell|behold|betimes|bestows?|forsooth|heed|dwells?`, instead: "a common word"},
}

// exception is a text in which a word of the list is right.
type exception struct{ file, text, reason string }

var exceptions = []exception{}
