package sandbox

import (
	"bytes"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Camouflage replaces messages that are not intended for users.
const Camouflage = "Application error"

// message is a GELF message as the platform interprets it.
type message struct {
	kind   string // type of the record
	text   string
	fields value.Value // an object, or null
	// serious is true if the message may explain a failure.
	serious bool
	// camouflaged is true if Camouflage replaces the message.
	camouflaged bool
}

// parseFrame parses the text that a component sent up to a zero byte. If the frame is not a
// single JSON text, each line is parsed separately. Like the platform it drops messages
// without the required fields.
func parseFrame(frame []byte) []message {
	if len(bytes.TrimSpace(frame)) == 0 {
		return nil
	}
	if v, ok := parseObject(frame); ok {
		return appendMessage(nil, v)
	}
	var messages []message
	valid := false
	for line := range bytes.SplitSeq(frame, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if v, ok := parseObject(line); ok {
			valid = true
			messages = appendMessage(messages, v)
		} else {
			messages = append(messages, invalid(string(line)))
		}
	}
	if !valid {
		return []message{invalid(string(frame))}
	}
	return messages
}

func parseObject(text []byte) (value.Value, bool) {
	v, err := value.Parse(text)
	return v, err == nil && v.Kind() == value.Object
}

func invalid(text string) message {
	return message{kind: Error, text: "Invalid message: " + text}
}

// appendMessage appends the message of a JSON object unless it must be dropped. It does not
// check the host, because only a container has a known host name.
func appendMessage(messages []message, v value.Value) []message {
	text, level := v.Field("short_message"), v.Field("level")
	// Level 0 counts as missing, as on the platform.
	if !text.IsScalar() || text.Empty() || v.Field("timestamp").Empty() || level.Empty() {
		return messages
	}
	m := message{text: text.Raw(), kind: Error, fields: additional(v)}
	if number, ok := level.Int(); ok {
		m.serious = number <= 4
		switch number {
		case 7:
			m.kind = Debug
		case 6:
			m.kind = Info
		case 5, 4:
			m.kind = Warn
		case 2, 1:
			m.camouflaged = true
		}
	}
	return append(messages, m)
}

// additional returns the members that begin with an underscore, without the underscore.
// GELF has no lists and objects, so a text that is a JSON list or object is parsed.
func additional(v value.Value) value.Value {
	var members []value.Member
	for _, m := range v.Members() {
		name, found := strings.CutPrefix(m.Name, "_")
		if !found || name == "" {
			continue
		}
		if text := m.Value.Raw(); strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
			if inner, err := value.Parse([]byte(text)); err == nil {
				m.Value = inner
			}
		}
		members = append(members, value.Member{Name: name, Value: m.Value})
	}
	if members == nil {
		return value.Value{}
	}
	return value.OfMembers(members...)
}
