package config

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of a job.
var (
	jobIDSetting       = field.Text("id", "Id", "If several jobs have the same id, only the last of them runs, at the place of the first. By default the id is computed from the job, so a job that is written twice runs once.").Example(`"users"`)
	JobEndpoint        = field.Text("endpoint", "Endpoint", "Path that is appended to the base URL; it may contain a query. `/path` is relative to the host, and a complete URL is used as it is. In child jobs `{name}` is replaced by the value of a placeholder, see [Values in an endpoint](#values-in-an-endpoint). May be an expression, which needs a `dataType` unless `store` is false.").Typed(jobEndpointType).Example(`"users"`).Must().Also("url", "uri", "path", "resource").Evaluated(expr.InJobs)
	JobMethod          = field.Text("method", "Method", "`GET` sends the parameters in the query, `FORM` in a form by POST, all others in a JSON body. With `body` they are in the query.").Typed(MethodType).DefaultJSON(`"GET"`).EmptyMeans("GET").NullMeans("GET").Example(`"POST"`).Also("verb", "type")
	JobParams          = field.Of("params", "Parameters", "Request parameters, which may be expressions at any depth. If the whole object is a call, with `function` and `args` only, its result is the parameters and must be an object.", ParamsType).DefaultJSON(`{}`).Example(`{"since": {"function": "date", "args": ["Y-m-d", {"time": "previousStart"}]}}`).Also("query").Evaluated(expr.InJobs)
	JobHeaders         = field.Of("headers", "Headers", "Headers of this job; they replace those of the default options with the same name. Values are scalars, lists of scalars (one line each) or expressions.", ExpressionsType).DefaultJSON(`{}`).Example(`{"X-Tenant": "7"}`).As(field.Headers).Evaluated(expr.InJobs)
	JobDataType        = field.Text("dataType", "Data type", "Name of the table, and of the mapping. By default the endpoint as it is written. May be an expression, see [One table for each value](#one-table-for-each-value).").Typed(dataTypeType).Example(`"users"`, `{"attr": "account"}`).Evaluated(expr.InDataType)
	JobMapping         = field.Text("mapping", "Mapping", "For a `dataType` that is an expression: the name of the mapping in `mappings` that all their tables have. Without it they are mapped automatically.").Example(`"records"`)
	JobNames           = field.Of("names", "Names", "Where the names of members come from: items of a job that runs before. A member that is named like a `key` of these items gets their `name`. See [Names of members](#names-of-members).", namesType).As(field.NamingRole).Example(`{"dataType": "fields", "key": "id", "name": "name"}`)
	NamesDataType      = field.Text("dataType", "Data type", "The `dataType` of jobs with items that have the names. These jobs are in `jobs` before the job.").Example(`"fields"`).Must()
	NamesKey           = field.Text("key", "Key", "Path in these items to the name that members have.").Example(`"id"`).Must().As(field.Path)
	NamesName          = field.Text("name", "Name", "Path in these items to the name that members get.").Example(`"name"`).Must().As(field.Path)
	JobDataField       = field.Of("dataField", "Data field", "Where the items are in the response: a [path](paths-and-conditions.md#paths), `.` for the whole response. `[]` is every item of a list: `[].results` are the results of all batches. Absent: the only list in the root of the response.", dataFieldType).Example(`"data.items"`, `"[].results"`, `{"path": "data/items", "delimiter": "/"}`).Also("data_path", "datapath", "records")
	JobResponse        = field.Of("response", "Responses", "The format of the responses of this job; it replaces `api.response`.", nil).Example(`{"format": "xml"}`, `{"format": "jsonl", "unpack": "gzip"}`)
	JobRules           = field.Of("rules", "Rules about responses", "What to do with certain responses. The first rule that matches decides, before `api.http.rules`, `retryConfig` and `ignoreErrors`. See [Rules about responses](#rules-about-responses).", nil).Example(`[{"status": 404, "do": "skip"}]`, `[{"status": 200, "when": "status!=DONE", "do": "poll", "wait": 15}]`)
	JobScroller        = field.Text("scroller", "Scroller", "With the pagination method `multiple`: the name of the scroller to use.").Example(`"list"`)
	JobResponseFilter  = field.Of("responseFilter", "Response filter", "Paths in each item whose values are stored as JSON text; `name[]` means every item of a list. See [paths-and-conditions.md](paths-and-conditions.md#the-form-of-responsefilter).", &field.Type{Kinds: []string{"string", "number", "boolean", "array"}, Message: "expected a path or a list of paths", Items: field.TextType}).Example(`"address"`, `["tags[]", "meta.raw"]`)
	filterDelimiter    = field.Text("responseFilterDelimiter", "Filter separator", "Separator in the paths of `responseFilter`.").Default(".").Example(`"/"`)
	JobChildren        = field.Of("children", "Child jobs", "Jobs that run once for each item of this one.", nil).Example(`[{"endpoint": "users/{id}/orders", "placeholders": {"id": "id"}}]`)
	JobPlaceholders    = field.Of("placeholders", "Placeholders", "Child jobs: for each `{name}` in the endpoint, the path of its value in the item of the parent. `2:name` reads the item of the parent's parent. A list leads to one request for each value. All child jobs below can use the placeholders too.", nil).Example(`{"id": "id", "2:region": "region.code"}`).As(field.NamingRole).Evaluated(expr.InPlaceholders)
	jobRateLimit       = field.Of("rateLimit", "Rate limit", "How many requests of this job may be started in any span of time, in all its runs together. They wait for `api.http.rateLimit` too.", rateLimitType).Example(`{"requests": 1, "perSeconds": 60}`)
	JobWindows         = field.Of("windows", "Windows", "Runs the job once for each span of time between `from` and `to`, see [Windows](#windows).", windowsType).Example(`{"from": "2024-01-01", "step": "1 month", "format": "Y-m-d"}`).Evaluated(expr.InWindows)
	JobRecursionFilter = field.Text("recursionFilter", "Recursion filter", "Child jobs: a [condition](paths-and-conditions.md#conditions); only items of the parent that satisfy it get a child. Operators `==`, `!=`, `<`, `>`, `<=`, `>=`, `~~` (like, with `%`), `!~`; `&` and `|` join comparisons.").Example(`"type==company&size>10"`)
	JobRowFilter       = field.Text("rowFilter", "Row filter", "A [condition](paths-and-conditions.md#conditions): only items that satisfy it are stored and get child jobs. Pagination counts all items. `==` and `!=` also know `true` and `false` for booleans.").Example(`"status!=deleted"`, `"active==true&score>=10"`).Also("filter", "where", "record_filter", "recordfilter")
	jobStore           = field.Flag("store", "Store", "With `false` the items are only parents of child jobs: they are not stored in a table, even if there is a mapping.").Typed(field.BooleanType).Default(true).Example(`false`)
	jobCredentials     = field.Flag("credentials", "Credentials", "With `false` the requests of the job are sent without the credentials of `api`: the authentication, the signature for AWS, the client certificate, user name and password of the base URL, and secret headers and parameters for all jobs. The job's own parameters and headers are sent as they are. A run that has only such jobs does not log in. See [Without credentials](#without-credentials).").Typed(field.BooleanType).Default(true).Example(`false`)
	JobUserData        = field.Of("userData", "Extra columns", "Columns that are added to every row of this job; a single value becomes the column `job_parent_id`. Expressions may also refer to the response that contains the row. A list, and lists in columns, are for mapped data types, which read single values of them.", userDataType).Example(`{"extracted": {"time": "currentStart"}}`).Evaluated(expr.InUserData)
	JobRemember        = field.Of("remember", "Remember", "What this run stores for the next one: for each name, where its value comes from. `{\"remembered\": \"NAME\"}` reads what an earlier run stored. See [What a run remembers](#what-a-run-remembers).", nil).Example(`{"since": {"max": "updated_at"}}`, `{"delta": {"response": "@odata.deltaLink"}}`, `{"since": {"max": "updated_at", "per": ["id"]}}`).As(field.RememberRole).Evaluated(expr.InRemember)
	DataFieldPath      = field.Text("path", "Path", "Where the items are. The separator alone means the whole response.").Example(`"data/items"`).Must().PartedBy(DataFieldDelimiter)
	DataFieldDelimiter = field.Text("delimiter", "Separator", "Separator in `path`.").Default(".").Example(`"/"`)
	DataFieldKeyAs     = field.Text("keyAs", "Key as", "For an object whose names are data, in the formats `json` and `xml`: each of its members is an item, with its name under this key. If a member is not an object, it becomes the member `value` of its item.").Example(`"id"`)
	DataFieldParallel  = field.Flag("parallel", "Parallel lists", "For an object of lists of equal length, in the formats `json` and `jsonl`: the first values of all lists are an item, the second values another one, and so on.").Typed(field.BooleanType).Default(false).Example(`true`)
	DataFieldColumns   = field.Of("columns", "Columns", "For rows whose values are a list: the names of the values, as a list or as a path to them in the response; `true` if the first item has the names. If the list is a member of each item, an object from its name to the names.", columnsType).Example(`["day", "amount"]`, `"columns.[].name"`, `true`, `{"dimensionValues.[].value": "dimensionHeaders.[].name", "metricValues.[].value": "metricHeaders.[].name"}`)

	namesType       = &field.Type{Name: "names", Title: "Names", Doc: "Where the names of members come from.", Kinds: []string{"object"}, Message: "expected an object with \"dataType\", \"key\" and \"name\"", Fields: field.Fields(NamesDataType, NamesKey, NamesName)}
	columnNamesType = &field.Type{Kinds: []string{"string", "array"}, NotEmpty: []string{"string", "array"}, Items: field.TextType, Message: "expected a list of names or a path to them in the response"}
	columnsType     = &field.Type{Name: "columns", Title: "list, string, object or true", Kinds: []string{"boolean", "string", "array", "object"}, NotEmpty: []string{"string", "array", "object"},
		Items: field.TextType, Others: columnNamesType, Message: "expected a list of names, a path to them in the response, true, or an object of these for lists in the items"}
	jobEndpointType = &field.Type{Name: "jobEndpoint", Title: "string or expression", Kinds: []string{"string", "object"}, NotEmpty: []string{"string", "object"}, Message: "expected a path or an expression"}
	userDataType    = &field.Type{Name: "userData", Title: "value, object or list of expressions", Kinds: []string{"string", "number", "boolean", "object", "array"},
		Others: ExpressionType, Message: "expected a value or an object of columns"}
	dataFieldType = &field.Type{Name: "dataField", Title: "Data field", Doc: "The long form of `dataField`, for paths with another separator.",
		Kinds: []string{"string", "object", "number", "boolean"}, Message: "expected a path or an object with \"path\"", Fields: field.Fields(DataFieldPath, DataFieldDelimiter, DataFieldKeyAs, DataFieldParallel, DataFieldColumns)}
)

// jobs returns the type of the list of jobs in `config`, which must not be empty.
func (t Types) jobs() *field.Type {
	job := field.Object("job", "Job", "A request, with all its pages and child jobs.")
	list := func(message failure.Text, notEmpty ...string) *field.Type {
		return &field.Type{Kinds: []string{"array", "object"}, NotEmpty: notEmpty, Items: job, Others: job, Message: message,
			IsSingleItem: func(v value.Value) bool {
				return v.Field(JobEndpoint.Name).Kind() == value.String
			},
			AloneFault: &failure.Problem{Code: failure.WrongType, Expected: "expected a list of jobs", Hint: "put the job into brackets: [{\"endpoint\": …}]"}}
	}
	job.Fields = field.Fields(jobIDSetting, JobEndpoint, JobMethod, JobParams, JobHeaders, JobBody, JobDataType, JobMapping, JobNames, JobDataField, JobResponse.With(t.Response), JobRules.With(t.Rules), JobScroller,
		JobResponseFilter, filterDelimiter, JobChildren.With(list("expected a list of jobs")), JobPlaceholders.With(field.MapOf(t.Placeholder)), JobRecursionFilter, JobBatch, JobRowFilter, jobStore, jobCredentials, jobRateLimit, JobIf, JobWindows, JobUserData, JobFile, JobRemember.With(field.MapOf(t.Remember)))
	return list("expected a list with at least one job", "array", "object")
}

// jobs compiles a list of jobs. above is the scope of their parent. A later job replaces
// an earlier job with the same id, and takes its position in the list.
func (c *compiler) jobs(s Section, e evaluator, above JobScope) []Job {
	var jobs []Job
	indexes := map[string]int{} // indexes in jobs by id
	for _, item := range s.Items() {
		if item.Value.Kind() != value.Object {
			continue // already reported
		}
		job := c.job(item, e, above)
		at, ok := indexes[job.ID]
		if !ok {
			indexes[job.ID] = len(jobs)
			jobs = append(jobs, job)
			continue
		}
		c.warnDuplicate(jobs[at], job)
		jobs[at] = job
	}
	return jobs
}

func (c *compiler) warnDuplicate(first, second Job) {
	if _, ok := c.valueAt(failure.PointerJoin(second.Pointer, jobIDSetting.Name)); ok {
		c.warn(failure.DuplicateJob, second.Pointer, "has the id of "+failure.Part(first.Pointer)+" and runs in its place", "give it another id")
		return
	}
	c.warn(failure.DuplicateJob, second.Pointer, "is the same as "+failure.Part(first.Pointer)+", it runs once", "give one of them an id to run both")
}

func (c *compiler) job(s Section, e evaluator, above JobScope) Job {
	family := above.withJob(s)
	family.Paging = c.Paging(c.pagination, JobScroller.Of(s))
	j := Job{
		Pointer:                 s.Pointer,
		ID:                      jobIDSetting.Of(s),
		Method:                  JobMethod.Of(s),
		Params:                  c.params(JobParams.In(s), e.compilerFor(expr.InJobs, family)),
		Headers:                 c.requestHeaders(JobHeaders.In(s), e.compilerFor(expr.InJobs, family)),
		Family:                  family,
		Names:                   JobNames.In(s),
		DataField:               dataField(s),
		Scroller:                JobScroller.Of(s),
		ResponseFilter:          responseFilter(JobResponseFilter.In(s)),
		ResponseFilterDelimiter: filterDelimiter.Of(s),
		Placeholders:            JobPlaceholders.In(s),
		RecursionFilter:         JobRecursionFilter.Of(s),
		Batch:                   c.batch(s, above),
		RowFilter:               JobRowFilter.In(s),
		NotStored:               !jobStore.Of(s),
		Anonymous:               !jobCredentials.Of(s),
		UserData:                JobUserData.In(s),
		Remember:                JobRemember.In(s),
		Response:                JobResponse.In(s),
		File:                    JobFile.In(s),
		Columns:                 DataFieldColumns.In(JobDataField.In(s)),
		Rules:                   JobRules.In(s),
		RateLimit:               c.jobRateLimit(jobRateLimit.In(s)),
	}
	if j.ID == "" {
		j.ID = c.computedID(s.Pointer)
	}
	c.dataType(&j, s, e)
	c.endpoint(&j, s, e)
	method := cmp.Or(j.Method, c.options.Field(DefaultMethod.Name).Text(), http.MethodGet)
	j.Body = CompileBody(JobBody.In(s), method, e.compilerFor(expr.InJobs, family))
	j.If = c.compileIf(JobIf.In(s), e, above, family)
	j.Windows = c.windows(JobWindows.In(s), e, above, family)
	if j.Reachable = above.Jobs == 0 || len(family.Placeholders) > 0 || c.refersToParent(s); !j.Reachable {
		c.warn(failure.IdleChild, s.Pointer, "this child job never runs: it has no \"placeholders\", nor has a job above it", "")
	}
	c.checkNotStored(s, j)
	family.Jobs++
	j.Children = c.jobs(JobChildren.In(s), e, family)
	return j
}

// jobRateLimit returns the rate limit of a job. It warns if `api.http.rateLimit` is at
// least as strict, because the limit of the job then has no effect.
func (c *compiler) jobRateLimit(s Section) RateLimit {
	l := rateLimit(s)
	if l.Requests > 0 && c.limit.Requests > 0 && l.Requests >= c.limit.Requests && l.Per <= c.limit.Per {
		c.warn(failure.NoEffect, s.Pointer, "has no effect: \"api.http.rateLimit\" allows fewer requests", "remove it, or allow fewer requests")
	}
	return l
}

// checkNotStored warns if a job with `store: false` has no result, because it has neither
// children nor remembered values, nor names for another job, and if it has `userData`, which only affects stored
// rows.
func (c *compiler) checkNotStored(s Section, j Job) {
	if !j.NotStored {
		return
	}
	if !JobChildren.In(s).Present() && !JobRemember.In(s).Present() && !(j.DataType != "" && slices.Contains(c.namedDataTypes, j.DataType)) {
		c.warn(failure.NoEffect, jobStore.In(s).Pointer, "this job has no result: its items are not stored, and it has no child jobs", "remove the key, or give the job \"children\"")
	}
	if userData := JobUserData.In(s); userData.Present() {
		c.warn(failure.NoEffect, userData.Pointer, "has no effect: the job stores no rows that could have these columns", "remove the key, or \"store\"")
	}
}

// endpoint sets the endpoint of a job, and the data type if the job has none.
func (c *compiler) endpoint(j *Job, s Section, e evaluator) {
	endpoint := JobEndpoint.In(s)
	if endpoint.Value.Kind() != value.Object {
		j.Endpoint = endpoint.Value.Raw()
		if j.ComputedDataType == nil {
			j.DataType = cmp.Or(j.DataType, j.Endpoint)
		}
		return
	}
	compiler := e.compilerFor(expr.InJobs, j.Family)
	compiler.Exact = true
	if form, ok := compiler.Parse(endpoint.Value); !ok && endpoint.Value.Len() > 0 {
		_, hint := c.Vocabulary.NearMiss(expr.InJobs, endpoint.Value)
		if form.Is(expr.Paging) {
			hint = "the pagination of this job has no such value"
		}
		endpoint.Problem("expected a path or an expression", hint)
		return
	}
	computed := compiler.Compile(endpoint.Value, endpoint.Pointer)
	j.Endpoint, j.ComputedEndpoint = endpoint.Value.JSON(), &computed
	if len(computed.References(expr.Remembered)) > 0 && !computed.RefersBeyond(expr.Attr, expr.Time, expr.Remembered) {
		if v, err := computed.Eval(firstRunScope(e.attr, c.Now())); err == nil && v.IsBlank() {
			endpoint.Problem("expected a path, and the first run has none", "give it a \"default\"")
		}
	}
	if j.DataType == "" && j.ComputedDataType == nil && !j.NotStored {
		c.problems.Add(failure.Problem{Code: failure.MissingKey, Pointer: s.Pointer, Expected: "expected the key \"dataType\", because the endpoint is computed and cannot name the table"})
	}
}

// JobExpressions returns the settings of a job with expressions that may refer to the
// items of the jobs above it.
func JobExpressions() []*field.Field {
	return field.Fields(JobIf, JobEndpoint, JobParams, JobHeaders, JobBody, JobDataType, JobWindows, JobUserData, JobFile, JobRemember)
}

// refersToParent reports whether an expression of a job refers to the item of a job above
// it.
func (c *compiler) refersToParent(s Section) bool {
	references := c.Vocabulary.All().References.At(expr.InJobs)
	for _, f := range JobExpressions() {
		if len(references.Names(s.Get(f.Name).Value, false, expr.ParentItem)) > 0 {
			return true
		}
	}
	return false
}

// computedID returns the computed id of a job. Iterations that share the job share the
// id.
func (c *compiler) computedID(pointer string) string {
	id, ok := c.ids[pointer]
	if !ok {
		given, _ := c.valueAt(pointer)
		id = jobID(given)
		c.ids[pointer] = id
	}
	return id
}

// params compiles the parameters. It returns no entries if they have a problem already.
func (c *compiler) params(s Section, compiler expr.Compiler) expr.Entries {
	if s.Faulty() {
		return expr.Entries{}
	}
	return compiler.Params(s.Value, s.Pointer)
}

func (c *compiler) requestHeaders(s Section, compiler expr.Compiler) expr.Entries {
	compiler.Exact = true
	return compiler.Entries(c.plainHeaders(s, compiler), s.Pointer)
}

func dataField(parent Section) DataField {
	s := JobDataField.In(parent)
	switch {
	case !s.Present():
		return DataField{}
	case s.Value.Kind() == value.Object:
		keyAs := DataFieldKeyAs.In(s)
		if keyAs.Value.Text() == MemberValue {
			keyAs.Problem("expected another name: \""+MemberValue+"\" contains the members that are not objects", "")
		}
		return DataField{Path: DataFieldPath.Of(s), Delimiter: DataFieldDelimiter.Of(s), KeyAs: DataFieldKeyAs.Of(s), Parallel: DataFieldParallel.Of(s)}
	default:
		return DataField{Path: s.Value.Text(), Delimiter: "."}
	}
}

// responseFilter returns the paths of a list, or a single path.
func responseFilter(s Section) []string {
	var paths []string
	if !s.Present() {
		return nil
	}
	for _, v := range scalars(s.Value) {
		if v.IsScalar() && v.Text() != "" {
			paths = append(paths, v.Text())
		}
	}
	return paths
}
