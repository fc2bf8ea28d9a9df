package config

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const contentType = "Content-Type"

// BodyType returns the media type of the body that a method sends, or "" if the method
// sends no body.
func BodyType(method string) string {
	switch strings.ToUpper(method) {
	case "", http.MethodGet:
		return ""
	case "FORM":
		return "application/x-www-form-urlencoded"
	default:
		return "application/json"
	}
}

// fitsBody reports whether a configured Content-Type describes a body of that type.
func fitsBody(body, configured string) bool {
	media, _, _ := strings.Cut(strings.ToLower(configured), ";")
	media = strings.TrimSpace(media)
	return media == body || body == "application/json" && strings.Contains(media, "/") && strings.HasSuffix(media, "+json")
}

// OwnType returns the configured Content-Type if it describes the body of the request,
// otherwise "". headers are the headers of the API, for all jobs.
func (r RequestSpec) OwnType(headers []Header) string {
	if r.Body != nil {
		return r.Body.Type
	}
	lines := r.typeLines(headers)
	if body := BodyType(r.Method); !r.ForcedType && len(lines) == 1 && fitsBody(body, lines[0]) {
		return lines[0]
	}
	return ""
}

// ReplacedType returns a warning if the type of the body replaces the configured
// Content-Type of the request, otherwise "".
func (r RequestSpec) ReplacedType(headers []Header) string {
	if lines := r.typeLines(headers); r.Body != nil {
		if len(lines) > 0 && !slices.Equal(lines, []string{r.Body.Type}) {
			return typeOfBody(r.Body.Type)
		}
		return ""
	}
	if body := BodyType(r.Method); body != "" && len(r.typeLines(headers)) > 0 && r.OwnType(headers) == "" {
		return replacedType(body)
	}
	return ""
}

// typeLines returns the lines of the configured Content-Type. If the header occurs in
// several spellings, the last header counts.
func (r RequestSpec) typeLines(headers []Header) []string {
	for _, m := range slices.Backward(r.Headers.Members()) {
		if strings.EqualFold(m.Name, contentType) {
			lines := []string{}
			for _, line := range scalars(m.Value) {
				lines = append(lines, strings.Trim(line.Text(), " \t"))
			}
			return lines
		}
	}
	for _, h := range slices.Backward(headers) {
		if strings.EqualFold(h.Name, contentType) {
			return h.Values
		}
	}
	return nil
}

// typeOfBody returns the warning about a Content-Type beside a body that has its own.
func typeOfBody(mediaType string) string {
	return "the request is sent with " + strconv.Quote(mediaType) + ", the type of its body"
}

func replacedType(body string) string {
	if body == "application/json" {
		return `the request is sent with "application/json": its body is JSON, which has this type or one that ends in "+json"`
	}
	return `the request is sent with "` + body + `": its body is a form`
}

// contentTypes warns about each header Content-Type that the type of a body replaces. If
// the value is computed, it sets Job.ComputedType, and the run warns.
func (c *compiler) contentTypes(it *Iteration, jobs []Job) {
	for i := range jobs {
		c.contentTypes(it, jobs[i].Children)
		body := BodyType(cmp.Or(jobs[i].Method, c.options.Field(DefaultMethod.Name).Text()))
		header, computed := c.configuredType(it, jobs[i])
		switch {
		case body == "" || header.Pointer == "":
		case jobs[i].Body == nil && c.hasBody(jobs[i]): // it has a problem
		case computed:
			jobs[i].ComputedType = header.Pointer
		case jobs[i].Body != nil:
			if own := jobs[i].Body.mediaType; header.Value.Kind() == value.Array && header.Value.Len() != 1 || scalars(header.Value)[0].Text() != own {
				c.warnType(header, typeOfBody(own))
			}
		case header.Value.Kind() == value.Array && header.Value.Len() != 1, !fitsBody(body, scalars(header.Value)[0].Text()):
			c.warnType(header, replacedType(body))
		}
	}
}

// hasBody reports whether the document has a body for the job.
func (c *compiler) hasBody(j Job) bool {
	body, _ := c.valueAt(failure.PointerJoin(j.Pointer, JobBody.Name))
	return !body.Empty()
}

// warnType warns once about a header that the type of a body replaces.
func (c *compiler) warnType(header Section, text string) {
	warning := failure.Problem{Code: failure.NoEffect, Pointer: header.Pointer, Expected: failure.Part(text), Hint: "remove the header"}
	if !slices.Contains(c.warnings, warning) {
		c.warnings.Add(warning)
	}
}

// configuredType returns the header Content-Type of a job, and whether its value is
// computed for each request. Without the header it returns an empty section.
func (c *compiler) configuredType(it *Iteration, j Job) (header Section, computed bool) {
	own := failure.PointerJoin(j.Pointer, JobHeaders.Name)
	options := failure.PointerJoin(c.optionsPointer, DefaultHeaders.Name)
	for _, at := range []string{own, options} {
		headers, _ := c.valueAt(at)
		for _, m := range headers.Members() {
			if strings.EqualFold(m.Name, contentType) {
				header = Section{Value: m.Value, Pointer: failure.PointerJoin(at, m.Name)}
			}
		}
		if header.Pointer != "" {
			return header, header.Value.Kind() == value.Object || expr.Compiler{Place: expr.InJobs, Vocabulary: c.Vocabulary}.Any(header.Value)
		}
	}
	for _, h := range it.ComputedHeaders {
		if strings.EqualFold(h.Name, contentType) {
			return Section{Pointer: h.Pointer}, true
		}
	}
	for _, h := range it.Headers {
		if strings.EqualFold(h.Name, contentType) {
			var lines []value.Value
			for _, line := range h.Values {
				lines = append(lines, value.OfString(line))
			}
			return Section{Value: value.OfItems(lines...), Pointer: h.Pointer}, false
		}
	}
	return Section{}, false
}
