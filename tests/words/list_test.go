package words

// word is a word, or several, that no text of ours uses.
type word struct {
	pattern string // a regular expression; a blank is any white space
	instead string
	// but are phrases in which the word is plain English.
	but []string
}

// words are the words. A word belongs here if it is hardly ever right: there is no
// list of places where it is, only of phrases, and a few exceptions below.
var words = []word{
	{pattern: `mend(s|ed|ing)?`, instead: "fix"},
	{pattern: `cures?|cured`, instead: "fix"},
	{pattern: `nobody`, instead: "no one"},
	{pattern: `tells?|telling|told`, instead: "report, say, show"},
	{pattern: `whoever|whomever|whosoever`, instead: "a client that, anyone who, or name it"},
	{pattern: `whatever|whatsoever`, instead: "any, every, regardless of, no matter what"},
	{pattern: `wherefore|whence|thence|hence|thereby|therein|thereof|whereby|wherein|whereof|herein|hereby`, instead: "name it, or two sentences"},
	{pattern: `lest|albeit|notwithstanding|nought|aught|anon|ere|nay`, instead: "a common word"},
	{pattern: `anew|afresh`, instead: "again"},
	{pattern: `upon`, instead: "on"},
	{pattern: `(go|goes|going|went|gone) on`, instead: "continue"},
	{pattern: `(ask|asks|asked|asking) for`, instead: "request, want"},
	{pattern: `stands? (in|at|on|before|behind|below|beside|above|under|after|between|there|where|alone|together|first|around|outside|elsewhere)`, instead: "is, are"},
	{pattern: `what stands`, instead: "what is"},
	{pattern: `takes? long`, instead: "takes a long time"},
	{pattern: `there is it`, instead: "it is there"},
	{pattern: `for the one who|the one who`, instead: "for anyone who, if you"},
	{pattern: `nothing but`, instead: "only"},
	{pattern: `(what|that|which|who) (is|are) no`, instead: "is not a"},
	{pattern: `now and then`, instead: "occasionally"},
	{pattern: `by and by`, instead: "gradually"},
	{pattern: `at hand`, instead: "current"},
	{pattern: `behind (the|a|an) (end|last|first|answer|item|row|page|header|element|number|colon|id)`, instead: "after"},
	{pattern: `(one|lies|begins|continues|comes) behind`, instead: "after"},
	{pattern: `lies|lay about`, instead: "is"},
	{pattern: `leash(es|ed)?`, instead: "bounded decoder"},
	{pattern: `tally|tallies|tallied`, instead: "count, statistics"},
	{pattern: `in vain`, instead: "without success"},
	{pattern: `turned? round`, instead: "reversed"},
	{pattern: `befalls?|befell|beget|bestows?|betimes|behold|beware of`, instead: "a common word"},
	{pattern: `of its own accord`, instead: "by itself"},
	{pattern: `comes to nothing`, instead: "fails"},
	{pattern: `gives? back`, instead: "return"},
	{pattern: `a text that is none|that is none|which is none`, instead: "is not one"},
}
