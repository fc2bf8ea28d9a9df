package expr

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func encodingFunctions() []Function {
	return []Function{
		{Name: "base64_encode", Arguments: "text", Min: 1, Max: 1, Call: base64Encode(base64.StdEncoding),
			Doc:      "The text in base64 with padding.",
			Examples: []Example{{`"user:pass"`, `"dXNlcjpwYXNz"`}, {`"a>b?"`, `"YT5iPw=="`}}},
		{Name: "base64url_encode", Arguments: "text", Min: 1, Max: 1, Call: base64Encode(base64.RawURLEncoding),
			Doc:      "The text in the base64 of URLs: with `-` and `_`, without padding.",
			Examples: []Example{{`"a>b?"`, `"YT5iPw"`}}},
		{Name: "base64_decode", Arguments: "text", Min: 1, Max: 1, Call: base64Decode,
			Doc:      "The text that the base64 encodes, in either alphabet, with or without padding.",
			Examples: []Example{{`"YT5iPw"`, `"a>b?"`}}},
		{Name: "urlencode", Arguments: "text", Min: 1, Max: 1, Encodes: true, Call: textFunction(php.URLEncode),
			Doc:      "The text as it is written in a query string: blanks become `+`.",
			Examples: []Example{{`"a b/c"`, `"a+b%2Fc"`}}},
		{Name: "rawurlencode", Arguments: "text", Min: 1, Max: 1, Encodes: true, Call: textFunction(php.RawURLEncode),
			Doc:      "The text as it is written in the path of a URL: blanks become `%20`, slashes `%2F`.",
			Examples: []Example{{`"a b/c"`, `"a%20b%2Fc"`}}},
		{Name: "json_encode", Arguments: "value", Min: 1, Max: 1, Call: jsonEncode,
			Doc:      "The value as JSON without blanks; slashes and non-ASCII letters are not escaped.",
			Examples: []Example{{`{"id": {"placeholder": "id"}, "tags": ["a/b"]}`, `"{\"id\":42,\"tags\":[\"a/b\"]}"`}}},
		{Name: "json_decode", Arguments: "text", Min: 1, Max: 1, Call: jsonDecode,
			Doc:      "The value that the text contains as JSON.",
			Examples: []Example{{`"[1, 2]"`, `[1,2]`}}},
	}
}

func base64Encode(encoding *base64.Encoding) func(in Input) (value.Value, error) {
	return textFunction(func(text string) string { return encoding.EncodeToString([]byte(text)) })
}

func base64Decode(in Input) (value.Value, error) {
	text, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	plain := strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(text)
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(plain, "="))
	if err != nil {
		return value.Value{}, errors.New("argument 1 is not base64") // the error would quote it
	}
	return value.OfString(string(decoded)), nil
}

func jsonEncode(in Input) (value.Value, error) { return value.OfString(in.Args[0].JSON()), nil }

func jsonDecode(in Input) (value.Value, error) {
	text, err := in.Text(0)
	if err != nil {
		return value.Value{}, err
	}
	v, err := value.Parse([]byte(text))
	if err != nil {
		return value.Value{}, errors.New("argument 1 is not JSON") // the error would quote it
	}
	return v, nil
}
