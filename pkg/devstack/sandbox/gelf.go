package sandbox

import (
	"bytes"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Camouflage replaces messages that are not meant for users.
const Camouflage = "Application error"

// message is one GELF message as the platform reads it.
type message struct {
	kind   string // type of the record
	text   string
	fields value.Value // an object, or null
	// serious messages may explain a failure.
	serious bool
	// camouflaged messages are replaced by Camouflage.
	camouflaged bool
}

// parseFrame reads what a component sent up to a zero byte. A frame that is not one
// JSON text is read line by line. As on the platform, messages without the required
// fields are dropped.
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

// appendMessage appends the message of a JSON object unless it is dropped. The host
// is not checked: only a container has a name to compare it with.
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

// additional are the members that begin with an underscore, without it. GELF has no
// lists and objects: a text that is JSON is read as such.
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
