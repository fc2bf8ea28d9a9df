package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of `config` and of an item of `iterations`.
var (
	JobsSetting        = field.Of("jobs", "Jobs", "The requests to send, one after another. Required.", nil).Example(`[{"endpoint": "users"}]`)
	OutputBucket       = field.Text("outputBucket", "Bucket", "Bucket of the tables. Empty: made of `api.name` and `id`; without `id`, the default of the platform.").Typed(bucketType).Example(`"crm"`)
	ConfigID           = field.Text("id", "Id", "Part of the bucket name `ex-api-<api.name>-<id>` if `outputBucket` is empty.").Example(`"main"`)
	IncrementalOutput  = field.Flag("incrementalOutput", "Incremental", "Rows are added to the tables instead of replacing them.").Example(`true`)
	debug              = field.Flag("debug", "Debug", "One event for each HTTP request that is sent.").Example(`true`)
	OnIncomplete       = field.Text("onIncomplete", "Incomplete data", "What to do if a response shows that data is missing: it contains errors, a next page was not fetched, or there are fewer rows than it announces. `warn` warns, and what the job remembers for the next run stays as it was; `hold` also keeps `previousStart` as it was; `fail` ends the run with an error and without tables. [faults.md](../understand/faults.md#complete-or-not) describes each case.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("warn", holdIncomplete, FailIncomplete)}).Default("warn").Example(`"fail"`)
	OnFailure          = field.Text("onFailure", "Failing jobs", "What to do if a root job fails: `fail` ends the run with an error and without tables. `keepOthers` leaves out the tables of the job and of its child jobs, and what they remember; the other jobs run, the exit code is 0, and the run is incomplete. Jobs that share a table or a remembered name, and all jobs with files, fail together. The run still fails if all jobs fail, if the login fails, and after an error of the program. It cannot be combined with `\"onIncomplete\": \"fail\"`. See [jobs that fail alone](#jobs-that-fail-alone).").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("fail", keepOthers)}).Default("fail").Example(`"keepOthers"`)
	StopAfter          = field.Text("stopAfter", "Stop after", "No window of a root job starts later than this time after the start of the run, in words; jobs without windows still run. The next run continues after the last window. Each root job that divides its windows by `step` must remember the end of its windows and start from it, with `incrementalOutput`. See [windows in several runs](#windows-in-several-runs).").Example(`"50 minutes"`)
	driftWarning       = field.Flag("driftWarning", "Drift warning", "Warns (`table.drifted`) about each table whose columns differ from those of the last run that wrote it. The columns are stored in `out/state.json`, under `tableColumns`. If one item of `iterations` sets it, it applies to all tables of the run.").Example(`true`)
	Booleans           = field.Text("booleans", "Booleans", "How booleans become cells. `original`: true is `1`, and false an empty cell, as null is. `text`: `true` and `false`, in all tables. Iterations with the same bucket need the same.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("original", textBooleans)}).Default("original").Example(`"text"`)
	ConfigHTTP         = field.Group("http", "HTTP", "HTTP settings of `config`.", configHeaders)
	configHeaders      = field.Of("headers", "Headers", "They replace those of `api.http.headers` with exactly the same name. Write the headers of `requiredHeaders` here.", ExpressionsType).DefaultJSON(`{}`).Example(`{"X-App-Key": {"attr": "#appKey"}}`).As(field.Headers).Evaluated(expr.InHeaders)
	UserData           = field.Of("userData", "Extra columns", "Columns that are added to every row of the root jobs. A list, and lists in columns, are for mapped data types, which read single values of them.", userDataType).Example(`{"account": {"attr": "account"}}`).Evaluated(expr.InUserData)
	MappingsSetting    = field.Of("mappings", "Mappings", "How the items of a data type become tables. A data type without a mapping is mapped automatically.", nil).Example(`{"users": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "name": "name"}}`).As(field.NamingRole)
	compatLevelSetting = field.Integer("compatLevel", "Compatibility", "2 keeps the older form of `responseFilter`, in which scalars are stored as they are. 1, the first table parser, is not supported.").Default(3).Example(`2`)

	bucketType = &field.Type{Name: "bucket", Title: "string", Kinds: []string{"string", "number", "boolean"}, Pattern: field.NewPattern("^[^/]*$"), Message: "expected a string without a slash"}
)

// settings returns the type of `config` and of an item of `iterations`.
func (t Types) settings() *field.Type {
	settings := field.Object("settings", "Extraction", "What to extract, and where to write it. Any other key is an attribute that expressions can refer to by `{\"attr\": \"name\"}`; a key that begins with `#` contains a secret. The value of an attribute may be `{\"env\": \"NAME\"}`: the environment variable `EXTRACTOR_VAR_NAME`, a secret. An item of `iterations` has the same keys.",
		append(ownSettings(t.jobs(), t.Mappings), t.Credentials...)...)
	settings.AllowReferenced = true
	return settings
}

// ownSettings returns the declared settings of `config` except credentials.
func ownSettings(jobs, mappings *field.Type) []field.Declaration {
	return []field.Declaration{JobsSetting.With(jobs), OutputBucket, ConfigID, IncrementalOutput, debug, OnIncomplete, OnFailure, StopAfter, driftWarning, Booleans,
		ConfigHTTP, UserData, MappingsSetting.With(mappings), compatLevelSetting}
}

// settings overlays `config` with an item of `iterations`. A key of the item replaces the
// whole value in `config`. The replacement keeps its own pointer.
type settings struct {
	base, over Section
	given      value.Value // the item in the document, with its empty keys
}

// owner returns the section with the value of a key.
func (s settings) owner(name string) Section {
	if _, ok := s.given.Get(name); ok {
		return s.over
	}
	return s.base
}

// pointer returns the JSON pointer of the item, or of `config` if there is no item.
func (s settings) pointer() string { return cmp.Or(s.over.Pointer, s.base.Pointer) }

// Get returns the member of that name. If it is absent, the section has the value null.
func (s settings) Get(name string) Section { return s.owner(name).Get(name) }

// settingValue returns the value of a setting, or its default.
func settingValue[T any](s settings, setting field.Setting[T]) T {
	return setting.Of(s.owner(setting.Name))
}

// iterations compiles one iteration for each item, or a single one for `config`.
func (c *compiler) iterations(root Section) []Iteration {
	base := settings{base: ConfigSection.In(root)}
	var all []Iteration
	if items := IterationsSection.In(root); items.Value.Kind() == value.Array {
		for _, item := range items.Items() {
			given, _ := c.valueAt(item.Pointer)
			all = append(all, c.iteration(APISection.In(root), settings{base: base.base, over: item, given: given}))
		}
	}
	if len(all) == 0 {
		all = append(all, c.iteration(APISection.In(root), base))
	}
	return all
}

func (c *compiler) iteration(api Section, s settings) Iteration {
	it := Iteration{
		Attributes:     c.attributes(s),
		Debug:          settingValue(s, debug),
		FailIncomplete: settingValue(s, OnIncomplete) == FailIncomplete,
		HoldIncomplete: settingValue(s, OnIncomplete) == holdIncomplete,
		KeepOthers:     settingValue(s, OnFailure) == keepOthers,
		DriftWarning:   settingValue(s, driftWarning),
		TextBooleans:   settingValue(s, Booleans) == textBooleans,
		Bucket:         bucket(api, s),
		Pointer:        s.pointer(),
		Key:            iterationKey(s.given),
		Incremental:    settingValue(s, IncrementalOutput),
		CompatLevel:    compatLevel(s.owner(compatLevelSetting.Name)),
		UserData:       s.Get(UserData.Name),
		Mappings:       s.Get(MappingsSetting.Name),
	}
	e := evaluator{compiler: c, attr: expr.Flatten(it.Attributes), registerSecret: c.Conceal}
	jobs := s.Get(JobsSetting.Name)
	e.all = jobScopeOf(jobs)
	it.Family = e.all
	http := HTTPSection.In(api)
	c.requiredHeaders(requiredHeaders.In(http), s)
	it.BaseURL = e.baseURL(BaseURL.In(api))
	e.headers(&it, APIHeaders.In(http), configHeaders.In(s.Get(ConfigHTTP.Name)))
	it.Defaults = e.defaults(DefaultOptionsSetting.In(http))
	if _, ok := s.given.Get(JobsSetting.Name); ok && jobs.Value.IsNull() {
		jobs.Problem("expected a list with at least one job", "")
	}
	if it.KeepOthers && it.FailIncomplete {
		s.Get(OnFailure.Name).Problem("expected \"fail\", because \"onIncomplete\" is \"fail\"", `a run with a failed job is incomplete: set "onIncomplete" to "warn" or "hold"`)
	}
	if text := settingValue(s, StopAfter); !c.isOpen(text) {
		it.StopAfter = stepOf(s.owner(StopAfter.Name), StopAfter)
	}
	c.namedDataTypes = namedDataTypes(jobs)
	it.Jobs = c.jobs(jobs, e, JobScope{})
	c.contentTypes(&it, it.Jobs)
	return it
}

// attributes returns the members of `config` and of the item, except the jobs.
func (c *compiler) attributes(s settings) value.Value {
	given, _ := c.valueAt(s.base.Pointer)
	return value.OfMembers(slices.Concat(given.Members(), s.given.Members())...).Without(JobsSetting.Name)
}

func bucket(api Section, s settings) string {
	if name := settingValue(s, OutputBucket); name != "" {
		if strings.HasPrefix(name, csvtable.OwnPrefix) {
			s.Get(OutputBucket.Name).Problem("expected a name that does not begin with "+csvtable.OwnPrefix,
				"temporary files of a run begin with it, and the next run would remove the tables")
		}
		return name
	}
	if id := settingValue(s, ConfigID); id != "" {
		return "ex-api-" + APIName.Of(api) + "-" + id
	}
	return ""
}

// keepOthers is a value of `onFailure`: a root job that fails leaves the others unaffected.
const keepOthers = "keepOthers"

// Values of `onIncomplete`. With FailIncomplete, findings are errors. With
// holdIncomplete, a finding about missing rows keeps `previousStart` for the next run.
const (
	FailIncomplete = "fail"
	holdIncomplete = "hold"
)

// textBooleans is a value of `booleans`.
const textBooleans = "text"

// compatLevel returns 2, which keeps the older form of `responseFilter`, or 3, the default.
func compatLevel(parent Section) int {
	const oldest = 2
	s, newest := compatLevelSetting.In(parent), compatLevelSetting.Fallback()
	if !s.Present() {
		return newest
	}
	level := compatLevelSetting.Of(parent)
	if level < oldest {
		s.Problem("expected 2 or 3, because the first table parser (1) is not supported",
			"remove the key, or set 2 to keep the older form of responseFilter; columns may get other names")
	}
	return min(max(level, oldest), newest)
}
