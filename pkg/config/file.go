package config

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// The settings of the files of a job.
var (
	JobFile       = field.Of("file", "File", "With the format `file`: the names of the files in `out/files`, and what their manifests contain.", fileType).Example(`{"name": {"function": "concat", "args": [{"attr": "region"}, ".pdf"]}, "tags": ["invoices"], "permanent": true}`)
	FileName      = field.Of("name", "Name", "The name of each file, as an expression. By default, and if the value is null or empty: the name in the header `Content-Disposition`, otherwise the last segment of the address. The name is made safe, and an equal one gets a number. See [Names](../how-to/download-files.md#names).", ExpressionType).Evaluated(expr.InFile).Example(`"report.csv"`, `{"responseHeader": "X-File-Name"}`)
	FileTags      = field.Of("tags", "Tags", "The tags of each file in the platform's file storage; they may be expressions.", fileTagsType).Evaluated(expr.InFile).Example(`["invoices", {"attr": "region"}]`)
	FilePermanent = field.Flag("permanent", "Permanent", "Without it the platform deletes the files after 15 days.").Typed(field.BooleanType).Default(false).Example(`true`)

	fileTagsType = &field.Type{Name: "tags", Title: "list of texts or expressions", Kinds: []string{"array"}, Items: ExpressionType, Message: "expected a list of tags"}
	fileType     = field.Object("file", "Files", "How the responses of a job become files.", FileName, FileTags, FilePermanent)
)
