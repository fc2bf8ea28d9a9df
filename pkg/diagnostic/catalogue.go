package diagnostic

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// explanation is the catalogue entry of a code.
type explanation struct {
	Code     failure.Code
	Severity string // "error", "warning", or "error or warning"
	Title    string // short title
	Cause    string // meaning of the code, and its consequences
	Example  string // part of a configuration with this problem
	Fix      string // advice
}

// Lookup returns the entry of a code.
func Lookup(code string) (explanation, bool) {
	all := catalogue()
	if i := slices.IndexFunc(all, func(e explanation) bool { return string(e.Code) == code }); i >= 0 {
		return all[i], true
	}
	return explanation{}, false
}

// catalogue returns the entries of all codes, by subject.
func catalogue() []explanation {
	return slices.Concat(aboutTheText(), aboutValues(), aboutExpressions(), aboutRequests(), aboutJobs(), aboutMemory(), aboutSecrets())
}

const (
	isError   = "error"
	isWarning = "warning"
	isEither  = "error or warning"
)

func aboutTheText() []explanation {
	return []explanation{
		{failure.InvalidJSON, isError, "The text is not JSON",
			"The text cannot be read as JSON, so nothing else could be checked. The location is where parsing stopped; the mistake may be just before it.",
			`{"api": {"baseUrl": "https://api.example.com"} "config": {}}`,
			"The hint names the usual cause. Look for a missing or extra comma, an unclosed quote or bracket, or a comment. JSON does not allow a comma after the last member."},
		{failure.InvalidVariable, isError, "The variables have the wrong form",
			"The values or the ids of variables in the document have the wrong form, or replacing variables makes two keys of one object equal.",
			`"variableValuesData": {"values": {"region": "eu"}}`,
			"Write the values as a list of objects with \"name\" and \"value\", and use either \"variableValuesData\" or \"variableValuesId\"."},
		{failure.MissingVariable, isEither, "A variable has no value",
			"The document uses {{name}} or {\"env\": \"NAME\"}, but no value is set. It is a warning in two cases: if no variable at all has a value, because the text then stays unchanged, and if the platform will supply the values, because settings that depend on them cannot be checked.",
			`"endpoint": "orders/{{region}}"`,
			"Set the value by --var name=value, or in \"variableValuesData\". For {\"env\": \"NAME\"} set the environment variable EXTRACTOR_VAR_NAME, or add a \"default\". Or correct the name."},
		{failure.UnusedVariable, isWarning, "The variable of --var is not used",
			"The command line sets a variable that the document neither contains as {{name}} nor declares. Usually the name is misspelt, and the intended variable has no value, or {{name}} is missing in the document.",
			`extractor validate config.json --var regoin=eu`,
			"Correct the name as the hint says, write {{name}} where the value belongs, or leave out the flag."},
		{failure.DuplicateKey, isEither, "A key appears twice",
			"An object has the same key more than once. JSON allows it, but only the last value is used. The other values are ignored, for example a whole list of jobs. With --strict it is an error.",
			`"config": {"jobs": [{"endpoint": "users"}], "jobs": [{"endpoint": "orders"}]}`,
			"Merge the values into one, or remove the ones that are ignored. The message has the line and the column of each."},
	}
}

func aboutValues() []explanation {
	return []explanation{
		{failure.MissingKey, isError, "A key is missing",
			"The object, or the method that it selects, requires a key that is missing or empty.",
			`"jobs": [{"dataType": "users"}]`,
			"Add the key. If the hint names a key of the object, it was probably misspelt."},
		{failure.UnknownKey, isEither, "Unknown key",
			"The key is not known here. Usually it is misspelt, or one level too high or too low. It has no effect. With --strict it is an error.",
			`"jobs": [{"endpoint": "users", "datafield": "items"}]`,
			"Correct the name or remove the key. Keys that begin with __ belong to editors and are ignored."},
		{failure.UnusedAttribute, isEither, "The attribute is not used",
			"A key of \"config\" that is not a setting is an attribute for expressions, but no {\"attr\": …} names it. It may be a misspelt setting. With --strict it is an error.",
			`"config": {"outputBuckt": "shop", "jobs": [{"endpoint": "users"}]}`,
			"Correct the name, refer to it with {\"attr\": …}, or remove it."},
		{failure.WrongType, isError, "The value has the wrong type",
			"A different type is expected here, and the value cannot be converted to it.",
			`"pagination": {"method": "offset", "limit": [100]}`,
			"Write a value of the expected type. Numbers may be written as strings of digits, strings as numbers."},
		{failure.UnknownChoice, isError, "The value is not one of the allowed values",
			"Only certain words are allowed here.",
			`"pagination": {"method": "ofset"}`,
			"Choose one of the words that the message lists."},
		{failure.WrongValue, isError, "The value cannot be used",
			"The value has the right type but is not valid here. For example, a number is out of range, a list is empty, or a text has the wrong form.",
			`"pagination": {"method": "offset", "limit": -5}`,
			"Write a value as the message describes it."},
		{failure.OldForm, isWarning, "Old form of a setting",
			"The setting still works, or is still accepted, but now has another name or form.",
			`"authentication": {"type": "url.query", "query": {"key": {"attr": "#key"}}}`,
			"Write it in the form that the message names."},
		{failure.NoEffect, isWarning, "This setting has no effect",
			"Another setting takes precedence, or the setting that this one belongs to is missing, so this one is ignored.",
			`{"parameters": {"api": {}, "config": {}}, "api": {}}`,
			"Remove one of the two, or add the missing setting."},
	}
}

func aboutExpressions() []explanation {
	return []explanation{
		{failure.UnknownAttribute, isError, "The value does not exist",
			"An expression refers to something that does not exist: to a key that is not in \"config\", to an object or a list instead of a value in it, to a placeholder that the job does not have, to the item of a parent in a root job, or to a window in a job without windows.",
			`"params": {"since": {"attr": "sincee"}}`,
			"Correct the name, or add the key to \"config\" (or to every item of \"iterations\"). Separate nested keys with dots. Write an object that is data as {\"literal\": …}."},
		{failure.UnknownFunction, isError, "Unknown function",
			"The name of the function is not known.",
			`{"function": "concatt", "args": ["a", "b"]}`,
			"Use one of the functions in docs/reference/expressions.md; the hint names the nearest one."},
		{failure.WrongArguments, isError, "The arguments do not fit the function",
			"The function takes a different number of arguments, or an argument has the wrong form.",
			`{"function": "hash_hmac", "args": ["sha256"]}`,
			"Write the call as the hint shows it."},
		{failure.FailedExpression, isEither, "The expression cannot be computed",
			"The expression is well formed, but computing it with the values of this configuration fails. It is a warning if the result is only empty, for example \"date\" of a text that is not a number of seconds.",
			`{"function": "hash", "args": [{"attr": "method"}, "x"]}, "config": {"method": "sha257"}`,
			"Correct the arguments of the function."},
		{failure.UnsetAttribute, isWarning, "The default is always used",
			"An expression with a \"default\" refers to an attribute that neither \"config\" nor any item of \"iterations\" has, so its value is always the default. The name may be misspelt.",
			`"params": {"lang": {"attr": "langauge", "default": "en"}}`,
			"Correct the name, add the attribute to \"config\", or write the default in the place of the expression."},
		{failure.UnevaluatedExpression, isWarning, "Nothing is evaluated here",
			"The object looks like an expression, but its key has no meaning here, or it refers to the response of a login, which is not available here. The object is sent unchanged. A header that is an object is sent as the list of its values.",
			`"headers": {"X-Key": {"key": "#key"}}`,
			"Write an expression that is available here. {\"response\": …} of a login belongs in \"apiRequest\"."},
	}
}

func aboutRequests() []explanation {
	return []explanation{
		{failure.InvalidAddress, isError, "Not a URL",
			"The base URL must be absolute and begin with http or https.",
			`"baseUrl": "api.example.com/v1"`,
			"Write the complete URL: https://api.example.com/v1."},
		{failure.UnsendableHeader, isEither, "This header cannot be sent",
			"It is an error if the name is not valid for a header, or if the value contains line breaks or is not a text. It is a warning if the header belongs to the connection, which sets it itself.",
			`"headers": {"Content-Length": "12"}`,
			"Use a name of letters, digits and -, and a value without line breaks. Remove headers of the connection."},
		{failure.RequiredHeader, isError, "A header is required",
			"\"api.http.requiredHeaders\" names a header that has no value in \"config.http.headers\".",
			`"http": {"requiredHeaders": ["X-App-Key"]}`,
			"Add the header to \"config.http.headers\"."},
		{failure.UnknownScroller, isError, "Unknown scroller",
			"A job, or \"default\", names a scroller that \"api.pagination.scrollers\" does not have.",
			`"jobs": [{"endpoint": "users", "scroller": "pags"}]`,
			"Correct the name, or define the scroller."},
		{failure.UnusedScroller, isWarning, "The scroller is not used",
			"No job names the scroller, and it is not the default. A job that needs pagination may run without it.",
			`"scrollers": {"default": {"method": "pagenum"}, "pages": {"method": "offset"}}`,
			"Name it in \"scroller\" of a job, or remove it. Scrollers require the method \"multiple\"."},
		{failure.OverwrittenParameter, isWarning, "Pagination sets this parameter",
			"The job has a parameter that its scroller sets in every request, so the value of the job is never sent.",
			`"jobs": [{"endpoint": "users", "params": {"page": 5}}]`,
			"Remove the parameter, or set \"firstPage\" or \"offsetFromJob\" of the scroller."},
		{failure.IdleRule, isError, "A rule never matches, or matches everything",
			"The first rule that matches a response is applied. A rule never matches if an earlier rule matches all of its responses. If a rule of a job matches every response and does not accept it, no response is ever used as data.",
			`"rules": [{"status": "4xx", "do": "fail"}, {"status": 404, "do": "skip"}]`,
			"Put the more specific rule first, or remove one of the two."},
		{failure.InvalidBody, isError, "A body cannot be sent",
			"The type of a body is no media type or names another character set than UTF-8, the text is no JSON or no well-formed XML, a value is in CDATA, in a comment or in the name of an element, where it cannot be escaped, or the method is GET or FORM.",
			`"body": {"type": "text/xml", "text": "<![CDATA[{name}]]>", "values": {"name": {"attr": "name"}}}`,
			"Put the value between tags or into the quotes of an attribute, where it is escaped, and correct the text, the type or the method."},
		{failure.IdleLookahead, isWarning, "No pages are requested in advance",
			"The setting lets pages be requested in advance, but with an \"api.http.concurrency\" of 1 they are requested one after another.",
			`"http": {"lookahead": 3}`,
			"Set \"api.http.concurrency\" to 2 or more, or remove the setting."},
	}
}
