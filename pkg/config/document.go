package config

import "github.com/keboola/configurable-extractor/pkg/config/field"

// The members of the document that this package reads or passes to other packages.
var (
	action          = field.Text("action", "Action", "`run` extracts. The others respond with one JSON document: `testRequest` (also `testConnection` and `test_request`) sends the first request, `validate` checks the configuration. See [platform-api.md](platform-api.md#synchronous-actions).").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices("run", "testRequest", "testConnection", "test_request", "validate")}).Default("run").Example(`"run"`)
	imageParameters = field.Of("image_parameters", "Operator's settings", "Set by the operator of the component, not by the author of the configuration.", field.Object("imageParameters", "Operator's settings", "An unknown key is a warning. It is an error in the entries of `allowed_hosts`, and where it is nearly spelt like `allowed_hosts`, because a misspelt setting would not protect anything.", allowedHosts))
	allowedHosts    = field.Of("allowed_hosts", "Allowed hosts", "Every request must match at least one of these entries, whether it is for a job, a page, a child job, a login or a redirect. An empty list allows all requests.", field.ListOf(field.Object("allowedHost", "Allowed host", "A destination that requests may be sent to.", allowedHost, allowedScheme, allowedPort, allowedPath))).Example(`[{"host": "api.example.com"}]`)
	allowedHost     = field.Text("host", "Host", "The exact host name; subdomains do not match.").Example(`"api.example.com"`).Must()
	allowedScheme   = field.Text("scheme", "Scheme", "Only this scheme. Without the key both `http` and `https` are allowed; an empty value is an error.").Example(`"https"`)
	allowedPort     = field.Integer("port", "Port", "Only this port, which the URL must contain. Without the key all ports are allowed; an empty value or 0 is an error.").Example(`8443`)
	allowedPath     = field.Text("endpoint", "Path", "Only paths that begin with these whole segments: `/v1` matches `/v1` and `/v1/items`, but neither `/v10` nor a path with a hidden `..` such as `/v1/..%2fx`. Empty, or `/`, allows all paths.").Example(`"/v1"`).Also("url", "uri", "path", "resource")

	Wrapper = field.Of("parameters", "Settings", "Wrapper of all settings.", nil)
	// The sections of the settings. NewTree adds their types.
	APISection        = field.Of("api", "API", "How to talk to the API.", nil).Must()
	ConfigSection     = field.Of("config", "Extraction", "What to extract, and where to write it.", nil).Must()
	IterationsSection = field.Of("iterations", "Iterations", "All jobs run once for each item. The keys of an item replace the keys of `config` with the same name as a whole, `jobs` included.", nil).
				Example(`[{"region": "eu"}, {"region": "us"}]`)
)

// The members of the document that the platform or package variables reads.
var (
	schemaAddress      = field.Text("$schema", "Schema", "URL or file of the JSON Schema, for editors; not read.").Typed(&field.Type{Kinds: []string{"string"}}).Example(`"./extractor.schema.json"`)
	VariablesID        = field.Text("variables_id", "Variables", "Id of the stored declarations of the variables `{{name}}`.").Example(`"123456"`)
	VariablesValuesID  = field.Text("variables_values_id", "Default values", "Id of the stored row with the values of the variables, used if a run has no others.").Example(`"123457"`)
	VariableValuesID   = field.Text("variableValuesId", "Values of this run, stored", "Id of the stored row with the values for this run. It has precedence over `variables_values_id`.").Example(`"123458"`)
	VariableValuesData = field.Of("variableValuesData", "Values of this run", "The values themselves: `values` is a list of objects with `name` and `value`.", &field.Type{Kinds: []string{"object"}, AllowUnknown: true}).Example(`{"values": [{"name": "bucket", "value": "sales"}]}`)
	storage            = field.Unread("storage", "Storage mapping", "Written by the platform, not read.").Example(`{}`)
	processors         = field.Unread("processors", "Processors", "Run by the platform, not read.").Example(`{}`)
	runtime            = field.Unread("runtime", "Runtime", "Used by the platform, not read.").Example(`{}`)
	artifacts          = field.Unread("artifacts", "Artifacts", "Used by the platform, not read.").Example(`{}`)
	sharedCode         = field.Unread("shared_code_id", "Shared code", "Used by the platform, not read.").Example(`"777"`)
	sharedCodeRows     = field.Unread("shared_code_row_ids", "Shared code rows", "Used by the platform, not read.").Example(`["778"]`)
)

// EndpointType and MethodType are the types of the parts of a request.
var (
	EndpointType = &field.Type{Name: "endpoint", Title: "string", Kinds: []string{"string"}, NotEmpty: []string{"string"}, Message: "expected a path"}
	MethodType   = &field.Type{Name: "method", Title: "string", Kinds: []string{"string"}, Choices: field.Choices("GET", "POST", "FORM", "PUT", "PATCH", "DELETE"), IgnoreCase: true}

	// ExpressionType is the type of a value expression. Package schema replaces it by the
	// definition that lists the functions and references, see expr.Vocabulary.Type.
	ExpressionType = &field.Type{Name: "expression"}
	// ExpressionsType is an object of expressions. ParamsType is the type of parameters.
	ExpressionsType = &field.Type{Name: "expressions", Title: "object of expressions", Kinds: []string{"object"}, Others: ExpressionType}
	ParamsType      = &field.Type{Name: "params", Title: "object or list of expressions", Kinds: []string{"object", "array"}, Others: ExpressionType, Message: "expected an object of parameters"}
)

// Types are the parts of the document that other packages declare. Each part is declared
// beside the code that reads it.
type Types struct {
	// The types of sections of `api` and of `config`.
	Authentication, Pagination, Response, Rules, Placeholder, Remember, Mappings *field.Type
	// Credentials are the settings of `config` that authentication schemes read.
	Credentials []field.Declaration
	// Document contains members of the document. Settings contains sections beside `api`
	// and `config`.
	Document, Settings []field.Declaration
}

// NewTree returns the tree of the document with these types.
func NewTree(t Types) *field.Tree {
	settings := t.settings()
	parameters := &field.Type{Name: "parameters", Title: "Settings", Doc: "Everything the author of a configuration writes.", Kinds: []string{"object"}}
	parameters.Fields = append([]*field.Field{
		APISection.With(t.api()),
		ConfigSection.With(&field.Type{Name: "config", Base: settings, Required: []string{JobsSetting.Name}}),
		IterationsSection.With(&field.Type{Name: "iterations", Title: "list of objects", Kinds: []string{"array"}, Items: settings}),
	}, field.Fields(t.Settings...)...)
	root := field.Object("", "Document", "The whole `config.json`. The platform puts the settings under `parameters` and adds the other keys; a hand-written document may have `api`, `config` and their neighbours at the top level instead. If both are there, `parameters` counts.",
		schemaAddress, Wrapper.With(parameters), imageParameters, action, VariablesID, VariablesValuesID, VariableValuesID, VariableValuesData,
		storage, processors, runtime, artifacts, sharedCode, sharedCodeRows)
	root.Fields = append(root.Fields, field.Fields(t.Document...)...)
	for _, f := range parameters.Fields {
		beside := *f
		beside.Doc, beside.Required = "As `parameters."+f.Name+"`, for documents without the wrapper.", false
		root.Fields = append(root.Fields, &beside)
	}
	return field.NewTree(root, Wrapper.Name)
}
