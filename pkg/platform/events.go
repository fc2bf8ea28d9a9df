package platform

import (
	"context"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const eventPage = 1000

// Event is an event of a job.
type Event struct {
	ID string
	// Type is info, success, warn or error.
	Type string
	// Created is the time in the format of the platform.
	Created string
	Message string
	// Record is the whole event.
	Record value.Value
}

// Events returns the events of a run, oldest first. The id of a run is the id of its job.
// If since is not "", Events returns only events after the event with that id.
func (c *Client) Events(ctx context.Context, run, since string) ([]Event, error) {
	if err := checkID("job", run); err != nil {
		return nil, err
	}
	var newestFirst []Event
	seen := map[string]bool{}
	for oldest := ""; ; oldest = newestFirst[len(newestFirst)-1].ID {
		page, err := c.eventsBefore(ctx, run, since, oldest)
		if err != nil {
			return nil, err
		}
		before := len(newestFirst)
		for _, e := range page {
			if !seen[e.ID] {
				seen[e.ID] = true
				newestFirst = append(newestFirst, e)
			}
		}
		// A page without new events is the last page too: a bound may include its own
		// event.
		if len(page) < eventPage || len(newestFirst) == before {
			slices.Reverse(newestFirst)
			return newestFirst, nil
		}
	}
}

// eventsBefore returns one page of events, newest first.
func (c *Client) eventsBefore(ctx context.Context, run, since, before string) ([]Event, error) {
	req := c.getStorage("events").AndQueryParam("runId", run).AndQueryParam("limit", strconv.Itoa(eventPage))
	if since != "" {
		req = req.AndQueryParam("sinceId", since)
	}
	if before != "" {
		req = req.AndQueryParam("maxId", before)
	}
	v, err := c.response(ctx, req, value.Array)
	if err != nil {
		return nil, err
	}
	page := make([]Event, 0, v.Len())
	for _, record := range v.Items() {
		page = append(page, Event{
			ID:      text(record.Field("id")),
			Type:    text(record.Field("type")),
			Created: text(record.Field("created")),
			Message: text(record.Field("message")),
			Record:  record,
		})
	}
	return page, nil
}
