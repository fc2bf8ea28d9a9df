package main

import (
	"encoding/json"
	"fmt"
	"time"
)

// latency is how long the API of the workloads C and P waits before it answers.
const latency = 20 * time.Millisecond

// workload is one thing that is measured.
type workload struct {
	name, title string
	rounds      int // unless the caller says otherwise
	// trial makes the parameters of the least run with the settings that an older
	// extractor does not know; nil when there are none.
	trial func(api string) object
	// needs names the workload that a goal compares with.
	needs string
	// command makes the extractor's arguments from the data directory; nil is
	// a run.
	command func(dir string) []string
	// parameters of the configuration; nil when there is none.
	parameters func(api string) object
	// floor are the arguments of the floor, but for its directory.
	floor func(api string) []string
	// generated says that ids are not those of the floor, so that only the
	// numbers of rows can be compared.
	generated bool
	goals     []goal
}

// object is a JSON object of a configuration.
type object map[string]any

// sizes are the sizes of the workloads.
type sizes struct {
	pages, manyPages, bytes, formatted, parents, lists, requests int
}

// scaled are the sizes that the goals are meant for, times a factor.
func scaled(scale float64) sizes {
	times := func(n int) int { return max(1, int(float64(n)*scale)) }
	return sizes{
		pages: times(200), manyPages: times(2000), bytes: times(1 << 30), formatted: times(128 << 20), parents: times(1000),
		lists: times(4000), requests: times(100_000),
	}
}

// workloads are all there are, in the order they are run.
func workloads(s sizes) []workload {
	return []workload{
		{
			name: "A", title: fmt.Sprintf("%d pages of %d flat items, automatic mapping", s.pages, pageSize), rounds: 5,
			parameters: paged("flat", s.pages, ""), floor: pagedFloor("flat", s.pages),
			goals: []goal{cpuRatio(1.45), wallWithinCPU(), peak(40)},
		},
		{
			name: "A1", title: "the same, configured mapping", rounds: 5,
			parameters: paged("flat", s.pages, flatMapping), floor: pagedFloor("flat", s.pages),
			goals: []goal{cpuRatio(1.4)},
		},
		{
			name: "A10", title: "A with ten times the pages", rounds: 3, needs: "A",
			parameters: paged("flat", s.manyPages, ""), floor: pagedFloor("flat", s.manyPages),
			goals: []goal{growth("A", 10)},
		},
		{
			name: "B", title: fmt.Sprintf("one response of %d MiB", s.bytes>>20), rounds: 3,
			parameters: single(s.bytes),
			floor: func(api string) []string {
				return []string{"-shape", "flat", "-url", fmt.Sprintf("%s/single?bytes=%d", api, s.bytes)}
			},
			goals: []goal{cpuRatio(1.7), wallWithinCPU(), peak(48)},
		},
		inFormat("F1", "csv", "CSV", s.formatted, 2),
		inFormat("F2", "jsonl", "JSON lines", s.formatted, 2),
		inFormat("F3", "xml", "XML", s.formatted, 1.5),
		withChildren("C", s.parents, latency, 1, 1, wallBelow(serial(s.parents)*11/10)),
		withChildren("C16", s.parents, latency, 16, 3, wallBelow(serial(s.parents)/12), sameTables("C")),
		latePages("P", s.pages, 1, 1, wallBelow(latency*time.Duration(s.pages)*3/2)),
		latePages("P16", s.pages, 16, 3, wallBelow(latency*time.Duration(s.pages)/4), sameTables("P")),
		{
			name: "D", title: fmt.Sprintf("%d pages of %d nested items, two tables", s.pages, pageSize), rounds: 5, needs: "A",
			parameters: paged("nested", s.pages, ""), floor: pagedFloor("nested", s.pages), generated: true,
			goals: []goal{cpuPerByte("A", 2.2)},
		},
		withChildren("R", s.requests, 0, 16, 1, cpuRatio(3)),
		{
			name: "T", title: fmt.Sprintf("%d tables of %d rows", s.lists+1, listRows), rounds: 3,
			parameters: job("lists", object{"lists": s.lists}),
			floor: func(api string) []string {
				return []string{"-shape", "lists", "-lists", fmt.Sprint(s.lists), "-url", fmt.Sprintf("%s/lists?lists=%d", api, s.lists)}
			},
			generated: true,
			goals:     []goal{peak(64)},
		},
		{
			name: "E1", title: "version", rounds: 20,
			command: func(string) []string { return []string{"version"} },
			floor:   func(string) []string { return nil },
			goals:   []goal{wallBelow(15 * time.Millisecond)},
		},
		{
			name: "E2", title: "a run of one request", rounds: 20,
			parameters: single(1000),
			floor:      func(api string) []string { return []string{"-shape", "flat", "-url", api + "/single?bytes=1000"} },
			goals:      []goal{wallBelow(60 * time.Millisecond)},
		},
	}
}

// paged is a configuration with offset paging, mapped automatically unless there
// is a mapping.
func paged(endpoint string, pages int, mapping string) func(string) object {
	return func(api string) object {
		config := object{"outputBucket": bucket, "jobs": []object{{
			"endpoint": endpoint, "dataType": "items", "dataField": "items", "params": object{"pages": pages},
		}}}
		if mapping != "" {
			config["mappings"] = object{"items": json.RawMessage(mapping)}
		}
		return object{
			"api":    object{"baseUrl": api, "pagination": object{"method": "offset", "limit": pageSize}},
			"config": config,
		}
	}
}

func pagedFloor(endpoint string, pages int) func(string) []string {
	return func(api string) []string {
		return []string{"-shape", endpoint, "-limit", fmt.Sprint(pageSize), "-url", fmt.Sprintf("%s/%s?pages=%d", api, endpoint, pages)}
	}
}

// flatMapping is every property of a flat item as a column of its name. The order
// of the columns is that of the text.
const flatMapping = `{"id":{"mapping":{"destination":"id","primaryKey":true}},"name":"name","email":"email","active":"active",
	"score":"score","city":"city","created":"created","note":"note","visits":"visits","comment":"comment"}`

func single(bytes int) func(string) object { return job("single", object{"bytes": bytes}) }

// inFormat is one large response in another format than JSON; at most ratio times the
// CPU time of the floor should go into it.
func inFormat(name, format, title string, bytes int, ratio float64) workload {
	return workload{
		name: name, title: fmt.Sprintf("one response of %d MiB in %s", bytes>>20, title), rounds: 3,
		parameters: func(api string) object {
			p := job("single", object{"bytes": bytes, "format": format})(api)
			p["api"].(object)["response"] = object{"format": format}
			return p
		},
		trial: func(api string) object {
			p := job("single", object{"bytes": 1, "format": format})(api)
			p["api"].(object)["response"] = object{"format": format}
			return p
		},
		floor: func(api string) []string {
			return []string{"-shape", format, "-url", fmt.Sprintf("%s/single?bytes=%d&format=%s", api, bytes, format)}
		},
		goals: []goal{cpuRatio(ratio), peak(48)},
	}
}

// job is a configuration with one request.
func job(endpoint string, params object) func(string) object {
	return func(api string) object {
		return object{
			"api": object{"baseUrl": api},
			"config": object{"outputBucket": bucket, "jobs": []object{{
				"endpoint": endpoint, "dataType": "items", "params": params,
			}}},
		}
	}
}

// withChildren is a list of parents with one child request each, whose responses take
// so long.
func withChildren(name string, parents int, wait time.Duration, concurrency, rounds int, goals ...goal) workload {
	w := workload{
		name: name, title: fmt.Sprintf("%d child requests of %s, concurrency %d", parents, duration(wait), concurrency), rounds: rounds,
		parameters: func(api string) object { return childrenOf(api, parents, concurrency, wait) },
		floor: func(api string) []string {
			address := fmt.Sprintf("%s/parents?count=%d&wait=%v", api, parents, wait)
			return []string{"-shape", "children", "-concurrency", fmt.Sprint(concurrency), "-url", address}
		},
		goals: goals,
	}
	if concurrency > 1 {
		w.trial = func(api string) object { return childrenOf(api, 1, concurrency, 0) }
		if wait > 0 {
			w.needs = "C"
		}
	}
	return w
}

// latePages is a paged list that states its length; the floor requests one page
// after another.
func latePages(name string, pages, concurrency, rounds int, goals ...goal) workload {
	parameters := func(api string, pages int) object {
		p := paged("flat", pages, "")(api)
		settings, job := p["api"].(object), p["config"].(object)["jobs"].([]object)[0]
		job["params"] = object{"pages": pages, "wait": latency.String(), "total": 1}
		if concurrency > 1 {
			settings["http"] = object{"concurrency": concurrency}
			settings["pagination"].(object)["total"] = "total"
		}
		return p
	}
	w := workload{
		name: name, title: fmt.Sprintf("%d pages of %d flat items, %s each, concurrency %d", pages, pageSize, duration(latency), concurrency), rounds: rounds,
		parameters: func(api string) object { return parameters(api, pages) },
		floor: func(api string) []string {
			address := fmt.Sprintf("%s/flat?pages=%d&wait=%v&total=1", api, pages, latency)
			return []string{"-shape", "flat", "-limit", fmt.Sprint(pageSize), "-url", address}
		},
		goals: goals,
	}
	if concurrency > 1 {
		w.needs = "P"
		w.trial = func(api string) object { return parameters(api, 1) }
	}
	return w
}

func childrenOf(api string, parents, concurrency int, wait time.Duration) object {
	http := object{}
	if concurrency > 1 {
		http["concurrency"] = concurrency
	}
	return object{
		"api": object{"baseUrl": api, "http": http},
		"config": object{"outputBucket": bucket, "jobs": []object{{
			"endpoint": "parents", "dataType": "parents", "dataField": "items",
			"params": object{"count": parents, "wait": wait.String()},
			"children": []object{{
				"endpoint": "parents/{id}/child", "dataType": "children", "dataField": "items",
				"placeholders": object{"id": "id"}, "params": object{"wait": wait.String()},
			}},
		}}},
	}
}

// serial is how long the responses of all parents take one after another.
func serial(parents int) time.Duration { return time.Duration(parents+1) * latency }

// document is config.json.
func document(parameters object) ([]byte, error) {
	return json.Marshal(object{"parameters": parameters})
}
