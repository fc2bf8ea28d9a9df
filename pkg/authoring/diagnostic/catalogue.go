package diagnostic

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Entry explains one code.
type Entry struct {
	Code     failure.Code
	Severity string // "error", "warning", or "error or warning"
	Title    string // a few words
	Cause    string // what it means and why it matters
	Example  string // a piece of a configuration that has it
	Fix      string // what to do
}

// Lookup returns the entry of a code.
func Lookup(code string) (Entry, bool) {
	all := Catalogue()
	if i := slices.IndexFunc(all, func(e Entry) bool { return string(e.Code) == code }); i >= 0 {
		return all[i], true
	}
	return Entry{}, false
}

// Codes returns all codes, in the order of the catalogue.
func Codes() []string {
	var codes []string
	for _, e := range Catalogue() {
		codes = append(codes, string(e.Code))
	}
	return codes
}

// Catalogue returns the entries of all codes, by subject.
func Catalogue() []Entry {
	return slices.Concat(aboutTheText(), aboutValues(), aboutExpressions(), aboutRequests(), aboutJobs(), aboutMemory(), aboutSecrets())
}

const (
	isError   = "error"
	isWarning = "warning"
	isEither  = "error or warning"
)

func aboutTheText() []Entry {
	return []Entry{
		{failure.InvalidJSON, isError, "The text is not JSON",
			"The text cannot be read as JSON, so nothing else could be checked. The place shown is where reading had to end; the mistake may stand just before it.",
			`{"api": {"baseUrl": "https://api.example.com"} "config": {}}`,
			"Look for a missing or superfluous comma, an open quote or bracket, a comment. JSON allows no comma after the last member."},
		{failure.InvalidVariable, isError, "The variables are not given as they must be",
			"The values or the ids of variables in the document have the wrong form, or replacing variables makes two keys of one object equal.",
			`"variableValuesData": {"values": {"region": "eu"}}`,
			"Write the values as a list of objects with \"name\" and \"value\", and use either \"variableValuesData\" or \"variableValuesId\"."},
		{failure.MissingVariable, isEither, "A variable has no value",
			"The document uses {{name}}, or {\"env\": \"NAME\"}, but nothing gives it a value. It is a warning when no variable at all has one, for then the text stays as it is, and when the platform will bring the values: what depends on them could not be checked.",
			`"endpoint": "orders/{{region}}"`,
			"Give the value by --var name=value, or in \"variableValuesData\"; for {\"env\": \"NAME\"} set the environment variable EXTRACTOR_VAR_NAME, or give a \"default\"; or correct the name."},
	}
}

func aboutValues() []Entry {
	return []Entry{
		{failure.MissingKey, isError, "A key is missing",
			"The object, or the method chosen in it, needs a key that is absent or empty.",
			`"jobs": [{"dataType": "users"}]`,
			"Add the key. If the hint names a key of the object, it was probably misspelt."},
		{failure.UnknownKey, isEither, "Unknown key",
			"The key is not known at this place, most often because it is misspelt or stands one level too high or too low. It has no effect. With --strict it is an error.",
			`"jobs": [{"endpoint": "users", "datafield": "items"}]`,
			"Correct the name or remove the key. Keys that begin with __ belong to editors and are ignored."},
		{failure.UnusedAttribute, isEither, "The attribute is not used",
			"A key of \"config\" that is no setting is an attribute for expressions, but no {\"attr\": …} names it. It may be a misspelt setting. With --strict it is an error.",
			`"config": {"outputBuckt": "shop", "jobs": [{"endpoint": "users"}]}`,
			"Correct the name, refer to it by {\"attr\": …}, or remove it."},
		{failure.WrongType, isError, "The value has the wrong type",
			"A value of another type is expected here, and this one cannot be read as such.",
			`"pagination": {"method": "offset", "limit": [100]}`,
			"Write a value of the expected type. Numbers may be written as strings of digits, strings as numbers."},
		{failure.UnknownChoice, isError, "The value is none of the possible ones",
			"Only certain words are possible here.",
			`"pagination": {"method": "ofset"}`,
			"Choose one of the words that the message lists."},
		{failure.WrongValue, isError, "The value cannot be used",
			"The value has the right type, but means nothing here: a number out of its range, an empty list, a text in the wrong form.",
			`"pagination": {"method": "offset", "limit": -5}`,
			"Write a value as the message describes it."},
		{failure.OldForm, isWarning, "This is an old form",
			"The setting still works, or is still accepted, but has another name or form today.",
			`"authentication": {"type": "url.query", "query": {"key": {"attr": "#key"}}}`,
			"Write it in the form that the message names."},
		{failure.NoEffect, isWarning, "This setting has no effect",
			"Another setting wins, or the one that it belongs to is missing, so this one is ignored.",
			`{"parameters": {"api": {}, "config": {}}, "api": {}}`,
			"Remove one of the two, or add what is missing."},
	}
}

func aboutExpressions() []Entry {
	return []Entry{
		{failure.UnknownAttribute, isError, "There is no such value",
			"An expression refers to something that does not exist: to a key that \"config\" has not, to an object or a list instead of a value in it, to a placeholder that the job has not, to the item of a parent in a root job, to a window in a job without windows.",
			`"params": {"since": {"attr": "sincee"}}`,
			"Correct the name, or add the key to \"config\" (and to every item of \"iterations\" if only those have it). Nested keys are parted by dots. An object that is meant as it is stands in {\"literal\": …}."},
		{failure.UnknownFunction, isError, "There is no such function",
			"The name of the function is not known.",
			`{"function": "concatt", "args": ["a", "b"]}`,
			"Use one of the functions in the reference; the hint names the nearest one."},
		{failure.WrongArguments, isError, "The arguments do not fit the function",
			"The function needs another number of arguments, or one of them has the wrong form.",
			`{"function": "hash_hmac", "args": ["sha256"]}`,
			"Write the call as the hint shows it."},
		{failure.FailedExpression, isEither, "The expression cannot be computed",
			"The expression is well formed, but computing it with the values of this configuration fails. It is a warning where the result is empty and nothing else fails: \"date\" of a text that is not a number of seconds.",
			`{"function": "hash", "args": [{"attr": "method"}, "x"]}, "config": {"method": "sha257"}`,
			"Correct the values that go into the function."},
		{failure.UnsetAttribute, isWarning, "The default is always used",
			"An expression with a \"default\" refers to an attribute that neither \"config\" nor any item of \"iterations\" has, so its value is always the default. The name may be misspelt.",
			`"params": {"lang": {"attr": "langauge", "default": "en"}}`,
			"Correct the name, add the attribute to \"config\", or write the default in the place of the expression."},
		{failure.UnevaluatedExpression, isWarning, "Nothing is evaluated here",
			"The object looks like an expression, but its key means nothing at this place, or the answer of a login is not known there: it is sent as it is. A header that is an object is sent as the list of its values.",
			`"headers": {"X-Key": {"key": "#key"}}`,
			"Write an expression that exists at this place; {\"response\": …} belongs into \"apiRequest\" of a login."},
	}
}

func aboutRequests() []Entry {
	return []Entry{
		{failure.InvalidAddress, isError, "This is no address",
			"The base address must be absolute, with http or https.",
			`"baseUrl": "api.example.com/v1"`,
			"Write the whole address: https://api.example.com/v1."},
		{failure.UnsendableHeader, isEither, "This header cannot be sent",
			"The name is no name of a header, the value has line breaks or is no text (error); or the header belongs to the connection, which makes its own (warning).",
			`"headers": {"Content-Length": "12"}`,
			"Write a name of letters, digits and -, and a value in one line; remove headers of the connection."},
		{failure.RequiredHeader, isError, "A header is asked for",
			"\"api.http.requiredHeaders\" names a header that \"config.http.headers\" does not give a value.",
			`"http": {"requiredHeaders": ["X-App-Key"]}`,
			"Add the header to \"config.http.headers\"."},
		{failure.UnknownScroller, isError, "There is no such scroller",
			"A job, or \"default\", names a scroller that \"api.pagination.scrollers\" does not have.",
			`"jobs": [{"endpoint": "users", "scroller": "pags"}]`,
			"Correct the name, or define the scroller."},
		{failure.UnusedScroller, isWarning, "The scroller is not used",
			"No job names the scroller, and it is not the one of jobs that name none. Perhaps a job that should be paged is not.",
			`"scrollers": {"default": {"method": "pagenum"}, "pages": {"method": "offset"}}`,
			"Name it in \"scroller\" of a job, or remove it. Scrollers need the method \"multiple\"."},
		{failure.OverwrittenParameter, isWarning, "Paging sets this parameter",
			"The job has a parameter that its scroller writes into every request, so the job's value is never sent.",
			`"jobs": [{"endpoint": "users", "params": {"page": 5}}]`,
			"Remove the parameter, or set \"firstPage\" or \"offsetFromJob\" of the scroller."},
		{failure.IdleRule, isError, "A rule has no effect, or is the only one that has",
			"The first rule that matches an answer decides about it. A rule never matches when one before it takes every answer that it could. And when a rule of a job takes every answer without accepting it, no answer is ever taken as data.",
			`"rules": [{"status": "4xx", "do": "fail"}, {"status": 404, "do": "skip"}]`,
			"Put the rule about fewer answers first, or remove one of the two."},
		{failure.IdleLookahead, isWarning, "Nothing is asked for in advance",
			"The setting says which pages may be asked for in advance, but with an \"api.http.concurrency\" of 1 they are asked for one after another.",
			`"http": {"lookahead": 3}`,
			"Set \"api.http.concurrency\" to 2 or more, or remove the setting."},
	}
}
