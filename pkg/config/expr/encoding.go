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
			Doc: "the text in base64 with padding"},
		{Name: "base64url_encode", Arguments: "text", Min: 1, Max: 1, Call: base64Encode(base64.RawURLEncoding),
			Doc: "the text in base64 as addresses carry it: with - and _, without padding"},
		{Name: "base64_decode", Arguments: "text", Min: 1, Max: 1, Call: base64Decode,
			Doc: "the text that stands in base64, in either alphabet, with or without padding"},
		{Name: "urlencode", Arguments: "text", Min: 1, Max: 1, Call: changed(php.URLEncode),
			Doc: "the text as it stands in a query string: blanks become +"},
		{Name: "json_encode", Arguments: "value", Min: 1, Max: 1, Call: jsonEncode,
			Doc: "the value as JSON without blanks; slashes and letters beyond ASCII stay as they are"},
		{Name: "json_decode", Arguments: "text", Min: 1, Max: 1, Call: jsonDecode,
			Doc: "the value that the text holds as JSON"},
	}
}

func base64Encode(encoding *base64.Encoding) func(in Input) (value.Value, error) {
	return changed(func(text string) string { return encoding.EncodeToString([]byte(text)) })
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
