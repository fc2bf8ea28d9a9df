package paging

import "strings"

// LinkTo is the target of the first link with a relation (RFC 8288) among the
// values of the header Link, as it stands there; ok is false when there is none.
func LinkTo(relation string, header []string) (target string, ok bool) {
	for _, line := range header {
		for rest := line; ; {
			_, behind, found := strings.Cut(rest, "<")
			if !found {
				break
			}
			target, rest, found = strings.Cut(behind, ">")
			if !found {
				break
			}
			var relations string
			relations, rest = linkRelations(rest)
			for one := range strings.FieldsSeq(relations) {
				if strings.EqualFold(one, relation) {
					return strings.TrimSpace(target), true
				}
			}
		}
	}
	return "", false
}

// linkRelations reads the parameters of a link up to the comma behind it and
// gives the first `rel`.
func linkRelations(params string) (relations, rest string) {
	seen := false
	for {
		params = strings.TrimLeft(params, " \t;")
		if params == "" || params[0] == ',' {
			return relations, params
		}
		name, value := params, ""
		if end := strings.IndexAny(params, "=;,"); end >= 0 {
			name, params = params[:end], params[end:]
		} else {
			params = ""
		}
		if strings.HasPrefix(params, "=") {
			value, params = linkValue(strings.TrimLeft(params[1:], " \t"))
		}
		if strings.EqualFold(strings.TrimSpace(name), "rel") && !seen {
			relations, seen = value, true
		}
	}
}

func linkValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ";,")
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
