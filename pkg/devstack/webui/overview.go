package webui

import (
	"context"
	"net/http"
	"regexp"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	shownJobs           = 25
	shownConfigurations = 100
	// searchedJobs is the number of newest jobs that are searched for the last job of
	// each configuration.
	searchedJobs = 1000
)

type overview struct {
	// Title is the title of the page. Announcement is the number of running jobs as a
	// sentence.
	Title, Announcement string
	Configurations      []configurationLine
	// OmittedConfigurations is the number of configurations that are not listed.
	OmittedConfigurations int
	Jobs                  jobList
	// Host is the host and port for commands that the page shows.
	Host string
}

type jobList struct {
	Jobs []jobView
	// More is true if older jobs match.
	More bool
}

type configurationLine struct {
	store.Configuration
	Last    *jobView // nil if there is no job
	History history
}

func (s *site) overview(w http.ResponseWriter, r *http.Request) error {
	o, err := s.lookAround(r)
	if err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "overview", layout{Title: o.Title, Section: "overview", Stream: "/stream", Body: o})
}

func (s *site) lookAround(r *http.Request) (overview, error) {
	o := overview{Title: "Overview", Announcement: "No job is running.", Host: host(r)}
	all, err := s.Store.Configurations("", false)
	if err != nil {
		return o, err
	}
	running, err := s.Store.Unfinished()
	if err != nil {
		return o, err
	}
	if len(running) > 0 {
		o.Title = count(len(running), "job") + " running"
		o.Announcement = o.Title + "."
	}
	if o.Jobs, err = s.jobs(r.Context(), func(store.Job) bool { return true }); err != nil {
		return o, err
	}
	o.OmittedConfigurations = max(len(all)-shownConfigurations, 0)
	for _, c := range all[:len(all)-o.OmittedConfigurations] {
		o.Configurations = append(o.Configurations, configurationLine{Configuration: c})
	}
	return o, s.lastJobs(r.Context(), o.Configurations)
}

// jobs returns the newest jobs that wanted accepts.
func (s *site) jobs(ctx context.Context, wanted func(store.Job) bool) (jobList, error) {
	var found []store.Job
	if err := s.Store.Jobs(func(j store.Job) bool {
		if wanted(j) {
			found = append(found, j)
		}
		return len(found) <= shownJobs
	}); err != nil {
		return jobList{}, err
	}
	list := jobList{More: len(found) > shownJobs}
	for _, j := range found[:min(len(found), shownJobs)] {
		v, err := s.viewOf(ctx, j)
		if err != nil {
			return list, err
		}
		list.Jobs = append(list.Jobs, v)
	}
	return list, nil
}

// lastJobs adds the last jobs to the lines of configurations.
func (s *site) lastJobs(ctx context.Context, lines []configurationLine) error {
	index := map[[2]string]int{}
	for i, l := range lines {
		index[[2]string{l.Component, l.ID}] = i
	}
	newest, runs := make([]*store.Job, len(lines)), make([]pastRuns, len(lines))
	seen := 0
	err := s.Store.Jobs(func(j store.Job) bool {
		if i, known := index[[2]string{j.Component, j.Config}]; known {
			if newest[i] == nil {
				newest[i] = &j
			}
			runs[i].add(j)
		}
		seen++
		return seen < searchedJobs
	})
	if err != nil {
		return err
	}
	for i, j := range newest {
		lines[i].History = newHistory(runs[i])
		if j == nil {
			continue
		}
		v, err := s.viewOf(ctx, *j)
		if err != nil {
			return err
		}
		lines[i].Last = &v
	}
	return nil
}

// plainHost matches hosts that are safe in a shell command.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$|^\[[0-9A-Fa-f:.]+\](:[0-9]+)?$`)

// host returns the host and port of the request, or localhost if they are not safe in a
// shell command.
func host(r *http.Request) string {
	if plainHost.MatchString(r.Host) {
		return r.Host
	}
	return "localhost"
}
