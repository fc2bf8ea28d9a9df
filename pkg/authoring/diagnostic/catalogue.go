package diagnostic

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Entry is the catalogue entry of a code.
type Entry struct {
	Code     failure.Code
	Severity string // "error", "warning", or "error or warning"
	Title    string // short title
	Cause    string // meaning of the code, and its consequences
	Example  string // part of a configuration with this problem
	Fix      string // advice
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
			"The text cannot be read as JSON, so nothing else could be checked. The place shown is where reading ended; the mistake may be just before it.",
			`{"api": {"baseUrl": "https://api.example.com"} "config": {}}`,
			"The hint names the usual reason at this place. Look for a missing or superfluous comma, an open quote or bracket, a comment. JSON allows no comma after the last member."},
		{failure.InvalidVariable, isError, "The variables have the wrong form",
			"The values or the ids of variables in the document have the wrong form, or replacing variables makes two keys of one object equal.",
			`"variableValuesData": {"values": {"region": "eu"}}`,
			"Write the values as a list of objects with \"name\" and \"value\", and use either \"variableValuesData\" or \"variableValuesId\"."},
		{failure.MissingVariable, isEither, "A variable has no value",
			"The document uses {{name}}, or {\"env\": \"NAME\"}, but it has no value. It is a warning if no variable has a value, because the text then stays as it is, and if the platform will supply the values: what depends on them cannot be checked.",
			`"endpoint": "orders/{{region}}"`,
			"Set the value by --var name=value, or in \"variableValuesData\". For {\"env\": \"NAME\"} set the environment variable EXTRACTOR_VAR_NAME, or add a \"default\". Or correct the name."},
		{failure.UnusedVariable, isWarning, "Nothing uses the variable of --var",
			"A value is given on the command line, but neither the document has {{name}} nor is the variable declared. The name is probably misspelt, so another variable has no value, or the text no placeholder.",
			`extractor validate config.json --var regoin=eu`,
			"Correct the name as the hint says, write {{name}} where the value belongs, or leave out the flag."},
		{failure.DuplicateKey, isEither, "A key is there twice",
			"One object has the same key several times. JSON allows it, but only the last value counts: the others vanish, a whole list of jobs for example. With --strict it is an error.",
			`"config": {"jobs": [{"endpoint": "users"}], "jobs": [{"endpoint": "orders"}]}`,
			"Merge the values into one, or remove those that do not count. The message has the line and the column of each place."},
	}
}

func aboutValues() []Entry {
	return []Entry{
		{failure.MissingKey, isError, "A key is missing",
			"The object, or the method chosen in it, needs a key that is absent or empty.",
			`"jobs": [{"dataType": "users"}]`,
			"Add the key. If the hint names a key of the object, it was probably misspelt."},
		{failure.UnknownKey, isEither, "Unknown key",
			"The key is not known at this place, most often because it is misspelt or is one level too high or too low. It has no effect. With --strict it is an error.",
			`"jobs": [{"endpoint": "users", "datafield": "items"}]`,
			"Correct the name or remove the key. Keys that begin with __ belong to editors and are ignored."},
		{failure.UnusedAttribute, isEither, "The attribute is not used",
			"A key of \"config\" that is not a setting is an attribute for expressions, but no {\"attr\": …} names it. It may be a misspelt setting. With --strict it is an error.",
			`"config": {"outputBuckt": "shop", "jobs": [{"endpoint": "users"}]}`,
			"Correct the name, refer to it by {\"attr\": …}, or remove it."},
		{failure.WrongType, isError, "The value has the wrong type",
			"A value of another type is expected here, and this one cannot be converted.",
			`"pagination": {"method": "offset", "limit": [100]}`,
			"Write a value of the expected type. Numbers may be written as strings of digits, strings as numbers."},
		{failure.UnknownChoice, isError, "The value is not one of the allowed ones",
			"Only certain words are allowed here.",
			`"pagination": {"method": "ofset"}`,
			"Choose one of the words that the message lists."},
		{failure.WrongValue, isError, "The value cannot be used",
			"The value has the right type but no meaning here: a number out of range, an empty list, a text in the wrong form.",
			`"pagination": {"method": "offset", "limit": -5}`,
			"Write a value as the message describes it."},
		{failure.OldForm, isWarning, "Old form of a setting",
			"The setting still works, or is still accepted, but now has another name or form.",
			`"authentication": {"type": "url.query", "query": {"key": {"attr": "#key"}}}`,
			"Write it in the form that the message names."},
		{failure.NoEffect, isWarning, "This setting has no effect",
			"Another setting has precedence, or the one that it belongs to is missing, so this one is ignored.",
			`{"parameters": {"api": {}, "config": {}}, "api": {}}`,
			"Remove one of the two, or add what is missing."},
	}
}

func aboutExpressions() []Entry {
	return []Entry{
		{failure.UnknownAttribute, isError, "The value does not exist",
			"An expression refers to something that does not exist: to a key that is not in \"config\", to an object or a list instead of a value in it, to a placeholder that the job does not have, to the item of a parent in a root job, or to a window in a job without windows.",
			`"params": {"since": {"attr": "sincee"}}`,
			"Correct the name, or add the key to \"config\" (and to every item of \"iterations\" if only those have it). Separate nested keys by dots. Write an object that is data as {\"literal\": …}."},
		{failure.UnknownFunction, isError, "Unknown function",
			"The name of the function is not known.",
			`{"function": "concatt", "args": ["a", "b"]}`,
			"Use one of the functions in docs/reference/expressions.md; the hint names the nearest one."},
		{failure.WrongArguments, isError, "The arguments do not fit the function",
			"The function needs another number of arguments, or one of them has the wrong form.",
			`{"function": "hash_hmac", "args": ["sha256"]}`,
			"Write the call as the hint shows it."},
		{failure.FailedExpression, isEither, "The expression cannot be computed",
			"The expression is well formed, but computing it with the values of this configuration fails. It is a warning if the result is merely empty: \"date\" of a text that is not a number of seconds.",
			`{"function": "hash", "args": [{"attr": "method"}, "x"]}, "config": {"method": "sha257"}`,
			"Correct the arguments of the function."},
		{failure.UnsetAttribute, isWarning, "The default is always used",
			"An expression with a \"default\" refers to an attribute that neither \"config\" nor any item of \"iterations\" has, so its value is always the default. The name may be misspelt.",
			`"params": {"lang": {"attr": "langauge", "default": "en"}}`,
			"Correct the name, add the attribute to \"config\", or write the default in the place of the expression."},
		{failure.UnevaluatedExpression, isWarning, "Nothing is evaluated here",
			"The object looks like an expression, but its key has no meaning at this place, or the response of a login is not available there. It is sent as it is. A header that is an object is sent as the list of its values.",
			`"headers": {"X-Key": {"key": "#key"}}`,
			"Write an expression that exists at this place. {\"response\": …} of a login belongs in \"apiRequest\"."},
	}
}

func aboutRequests() []Entry {
	return []Entry{
		{failure.InvalidAddress, isError, "Not an address",
			"The base address must be absolute, with http or https.",
			`"baseUrl": "api.example.com/v1"`,
			"Write the whole address: https://api.example.com/v1."},
		{failure.UnsendableHeader, isEither, "This header cannot be sent",
			"The name is not valid for a header, or the value has line breaks or is not a text (error); or the header belongs to the connection, which sets its own (warning).",
			`"headers": {"Content-Length": "12"}`,
			"Write a name of letters, digits and -, and a value in one line. Remove headers of the connection."},
		{failure.RequiredHeader, isError, "A header is required",
			"\"api.http.requiredHeaders\" names a header that has no value in \"config.http.headers\".",
			`"http": {"requiredHeaders": ["X-App-Key"]}`,
			"Add the header to \"config.http.headers\"."},
		{failure.UnknownScroller, isError, "Unknown scroller",
			"A job, or \"default\", names a scroller that \"api.pagination.scrollers\" does not have.",
			`"jobs": [{"endpoint": "users", "scroller": "pags"}]`,
			"Correct the name, or define the scroller."},
		{failure.UnusedScroller, isWarning, "The scroller is not used",
			"No job names the scroller, and it is not the default. A job that should be paged may not be.",
			`"scrollers": {"default": {"method": "pagenum"}, "pages": {"method": "offset"}}`,
			"Name it in \"scroller\" of a job, or remove it. Scrollers need the method \"multiple\"."},
		{failure.OverwrittenParameter, isWarning, "Paging sets this parameter",
			"The job has a parameter that its scroller sets in every request, so the value of the job is never sent.",
			`"jobs": [{"endpoint": "users", "params": {"page": 5}}]`,
			"Remove the parameter, or set \"firstPage\" or \"offsetFromJob\" of the scroller."},
		{failure.IdleRule, isError, "A rule never matches, or matches everything",
			"The first rule that matches a response decides. A rule never matches if an earlier one matches every response that it could. And if a rule of a job matches every response and does not accept it, no response is ever used as data.",
			`"rules": [{"status": "4xx", "do": "fail"}, {"status": 404, "do": "skip"}]`,
			"Put the more specific rule first, or remove one of the two."},
		{failure.IdleLookahead, isWarning, "No pages are requested in advance",
			"The setting lets pages be requested in advance, but with an \"api.http.concurrency\" of 1 they are requested one after another.",
			`"http": {"lookahead": 3}`,
			"Set \"api.http.concurrency\" to 2 or more, or remove the setting."},
	}
}
