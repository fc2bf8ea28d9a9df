package platformapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxEvent is the maximum size, in bytes, of all fields of an event.
	maxEvent = 200 << 10
	// uuidPrefix is the prefix of event UUIDs; the number of the event is the rest. The
	// UUID has version 8, which leaves its contents free (RFC 9562, section 5.8).
	uuidPrefix = "6c6f6361-6c00-8000-8000-"
	// hidden is the type of events that the API does not show.
	hidden = "debug"
)

type eventRecord struct {
	ID              string  `json:"id"`
	UUID            string  `json:"uuid"`
	Event           string  `json:"event"`
	Component       string  `json:"component"`
	Message         string  `json:"message"`
	Description     string  `json:"description"`
	Type            string  `json:"type"`
	RunID           *string `json:"runId"`
	Created         string  `json:"created"`
	ConfigurationID *string `json:"configurationId"`
	// ObjectID, ObjectName and ObjectType describe a bucket or a table. They are null here
	// because no event of the local platform has an object.
	ObjectID    *string         `json:"objectId"`
	ObjectName  *string         `json:"objectName"`
	ObjectType  *string         `json:"objectType"`
	Context     struct{}        `json:"context"`
	Params      json.RawMessage `json:"params"`
	Results     json.RawMessage `json:"results"`
	Performance performance     `json:"performance"`
	Token       idAndName       `json:"token"`
	URI         string          `json:"uri"`
	BranchID    int             `json:"idBranch"`
	Attachments []string        `json:"attachments"`
}

type performance struct {
	// Duration is in seconds.
	Duration int `json:"duration,omitempty"`
}

func eventOf(r *http.Request, e store.Event) eventRecord {
	return eventRecord{
		ID: e.ID, UUID: eventUUID(e.ID), Event: eventName(e), Component: e.Component,
		Message: e.Message, Description: e.Description, Type: e.Type, RunID: orNull(e.RunID), Created: storageTime(e.Created),
		ConfigurationID: orNull(e.ConfigurationID), Params: e.Params, Results: resultsOf(e),
		Performance: performance{Duration: e.Duration},
		Token:       idAndName{ID: tokenID, Name: tokenDescription},
		URI:         baseURL(r) + storagePath + "/events/" + e.ID, BranchID: branchID, Attachments: []string{},
	}
}

// resultsOf returns the results of an event as the platform shows them. Messages of a
// component have fields only if its logging is verbose; GELF gives the names a leading
// underscore. The values are texts, because the platform masks secrets in them.
func resultsOf(e store.Event) json.RawMessage {
	switch {
	case !e.Logged:
		return e.Results
	case !e.Verbose:
		return json.RawMessage("{}")
	}
	fields, err := value.Parse(e.Results)
	if err != nil {
		return json.RawMessage("{}")
	}
	members := slices.Clone(fields.Members())
	for i, m := range members {
		members[i] = value.Member{Name: "_" + m.Name, Value: texts(m.Value)}
	}
	return value.OfMembers(members...).AppendJSON(nil)
}

// texts replaces each scalar in a value with the text that PHP converts it to.
func texts(v value.Value) value.Value {
	if v.Kind() != value.Object && v.Kind() != value.Array {
		return value.OfString(v.Text())
	}
	return v.Map(func(m value.Member) value.Member {
		m.Value = texts(m.Value)
		return m
	})
}

func eventName(e store.Event) string { return "ext." + e.Component + "." + e.Type }

func eventUUID(id string) string {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s%012x", uuidPrefix, n)
}

func (s *server) createEvent(r *http.Request) (response, error) {
	f := formFields(r)
	e := store.Event{
		Component: f.id("component"), Type: cmp.Or(f.text("type"), "info"), Message: f.text("message"),
		Description: f.text("description"), ConfigurationID: f.id("configurationId"),
		RunID: f.id("runId"), Params: f.object("params"), Results: f.object("results"),
		Duration: f.seconds("duration"),
	}
	if e.RunID == "" && validID(r.Header.Get(runHeader)) {
		e.RunID = r.Header.Get(runHeader)
	}
	if err := checkEvent(e, f); err != nil {
		return response{}, err
	}
	stored, err := s.Store.AddEvents(e)
	if err != nil {
		return response{}, err
	}
	return created(map[string]string{"id": stored[0].ID, "uuid": eventUUID(stored[0].ID)}, nil)
}

func checkEvent(e store.Event, f *fields) error {
	switch {
	case f.err != nil:
		return f.err
	case e.Message == "":
		return invalid(`"message" is required`)
	case e.Component == "":
		return invalid(`"component" is required`)
	case e.Type != "info" && e.Type != "success" && e.Type != "warn" && e.Type != "error":
		return invalid(`"type" must be one of "info", "success", "warn" or "error"`)
	case len(e.Message)+len(e.Description)+len(e.Params)+len(e.Results) > maxEvent:
		return invalid("The event is larger than 200 KB")
	}
	return nil
}

func (f *fields) seconds(name string) int {
	v, given := f.get(name)
	if !given {
		return 0
	}
	n, ok := wholeNumber(v, 0, math.MaxInt32)
	if !ok {
		f.fail("%q must be a number of seconds", name)
	}
	return n
}

func (s *server) showEvent(r *http.Request) (response, error) {
	given := r.PathValue("event")
	id := given
	if digits, isUUID := strings.CutPrefix(strings.ToLower(given), uuidPrefix); isUUID {
		n, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return response{}, noEvent(given)
		}
		id = strconv.FormatUint(n, 10)
	}
	e, err := s.Store.Event(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Type == hidden {
		return response{}, noEvent(given)
	}
	return ok(eventOf(r, e), err)
}

func noEvent(id string) *refusal {
	return notFound("storage.events.notFound", "Event %q not found", id)
}
