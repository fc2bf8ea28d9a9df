package store

import (
	"errors"
	"testing"
)

func TestTransitions(t *testing.T) {
	all := []Status{Created, Waiting, Processing, Terminating, Success, Error, Cancelled, Terminated}
	for _, row := range []struct {
		from Status
		to   string
	}{
		{Created, "waiting processing terminating cancelled "},
		{Waiting, "created processing terminating cancelled "},
		{Processing, "terminating success error "},
		{Terminating, "cancelled terminated "},
		{Success, ""},
		{Error, ""},
		{Cancelled, ""},
		{Terminated, ""},
	} {
		t.Run(string(row.from), func(t *testing.T) {
			allowed := ""
			for _, to := range all {
				j := Job{Status: row.from}
				if err := j.To(to, clock()); err != nil {
					if j.Status != row.from || !j.Ended.IsZero() {
						t.Errorf("changed by a refused transition to %s: %+v", to, j)
					}
					continue
				}
				allowed += string(to) + " "
				if j.Status != to || j.Started.IsZero() == (to == Processing) || j.Ended.IsZero() == to.Finished() {
					t.Errorf("to %s: %+v", to, j)
				}
			}
			if allowed != row.to {
				t.Errorf("to %s", allowed)
			}
		})
	}
}

func TestJobs(t *testing.T) {
	s := open(t)
	for range 11 { // so that text and number order differ
		must[Job](t)(s.CreateJob(Job{Status: Success, Component: "c"}))
	}
	j := must[Job](t)(s.UpdateJob("3", func(j *Job) error {
		j.ID = "4"
		return errors.Join(j.To(Processing, clock()), j.To(Success, clock()))
	}))
	if j.ID != "3" || j.Status != Success || !j.Ended.Equal(clock()) {
		t.Errorf("%+v", j)
	}
	if other := must[Job](t)(s.Job("4")); other.Status != Created {
		t.Errorf("%+v", other)
	}
	newest, oldest := "", ""
	if err := s.Jobs(func(j Job) bool { newest += j.ID + " "; return j.ID != "9" }); err != nil || newest != "11 10 9 " {
		t.Errorf("newest first %s, %v", newest, err)
	}
	for _, j := range must[[]Job](t)(s.Unfinished()) {
		oldest += j.ID + " "
	}
	if oldest != "1 2 4 5 6 7 8 9 10 11 " {
		t.Errorf("unfinished %s", oldest)
	}
	for _, id := range []string{"", "12", "01", "-1", "x", "18446744073709551616"} {
		if _, err := s.Job(id); err != ErrNotFound {
			t.Errorf("job %q: %v", id, err)
		}
	}
}
