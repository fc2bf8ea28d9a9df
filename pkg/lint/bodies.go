package lint

import (
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// unusedBodyValues finds values of bodies that the text does not use.
func unusedBodyValues(s settings, found *failure.Problems) {
	bodies := append(pagination.LaterBodies(s.paging), config.LoginBody.In(auth.LoginRequest.In(s.login)))
	for _, j := range s.jobs() {
		bodies = append(bodies, config.JobBody.In(s.job(j.Job)))
	}
	for _, body := range bodies {
		for _, unused := range config.UnusedBodyValues(body) {
			in := strconv.Quote("{" + name(unused) + "}")
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: unused.Pointer, Found: failure.Part(strconv.Quote(name(unused))),
				Expected: "the text of the body does not use this value", Hint: "write " + failure.Part(in) + " in the text, or remove the value"})
		}
	}
}
