package engine

import (
	"cmp"
	"io"
	"net/http"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/files"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// file compiles `file` of a job, and checks what a job with the format file cannot have.
func (c compiler) file(j *job) {
	problem := func(key, expected, hint failure.Text) {
		at := failure.PointerJoin(j.Pointer, string(key))
		j.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: at, Expected: expected, Hint: hint})
	}
	if !j.format.IsFile() {
		if j.File.Present() {
			problem(failure.Text(config.JobFile.Name), "expected no such key: it is for the format \"file\"", `write "response": {"format": "file"} beside it, or remove the key`)
		}
		return
	}
	if len(j.Children) > 0 {
		problem(failure.Text(config.JobChildren.Name), "expected no child jobs: a file has no items that they could run for", "write them beside this job, after it; they run for the same items of its parent")
	}
	if j.NotStored {
		problem("store", "expected no such key with the format \"file\": each file has a row that says which one it is", "remove the key")
	}
	c.fileScroller(j)
	j.file = c.fileExpressions(j)
}

// fileScroller replaces a scroller that needs values of the response by one request. A
// file has no such values. It is a problem if the job names the scroller, or if the
// scroller serves no other job.
func (c compiler) fileScroller(j *job) {
	if !j.scroller.ReadsBody() {
		return
	}
	if j.Scroller == "" && c.serves(j.paged.Pointer) {
		j.scroller = pagination.OneRequest()
		return
	}
	j.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: cmp.Or(j.format.Pointer, j.Pointer),
		Expected: "expected a pagination that needs no value of the response, because a file is not read; the pagination at " + failure.Part(j.paged.Pointer) + " needs one",
		Hint:     `"link", "response.url" and "response.param" with a header, "offset" and "pagenum" without totals and flags can page files; for a single request use the method "multiple" and no "scroller" here`})
}

// fileExpressions compiles the name and the tags of files.
func (c compiler) fileExpressions(j *job) expr.Entries {
	compiler := j.Family.Compiler(expr.InFile, c.it.attributes, c.doc.Vocabulary, j.Problems())
	compiler.Exact = true
	check := func(s config.Section) {
		if kind := s.Value.Kind(); kind != value.Object && kind != value.Array || s.Faulty() {
			return
		}
		if _, ok := compiler.Parse(s.Value); !ok {
			_, hint := c.doc.Vocabulary.NearMiss(expr.InFile, s.Value)
			if _, body := s.Value.Get(string(expr.Response)); body {
				hint = `the body of a file is not read: "responseHeader" refers to a header, "parentItem" to the item of the parent`
			}
			s.Problem("expected a text or an expression", hint)
		}
	}
	name, tags := config.FileName.In(j.File), config.FileTags.In(j.File)
	check(name)
	for _, tag := range tags.Items() {
		check(tag)
	}
	if name.Faulty() || tags.Faulty() {
		return expr.Entries{}
	}
	var members []value.Member
	for _, s := range []config.Section{name, tags} {
		if s.Present() {
			tokens := failure.PointerSplit(s.Pointer)
			members = append(members, value.Member{Name: tokens[len(tokens)-1], Value: s.Value})
		}
	}
	return compiler.Entries(value.OfMembers(members...), j.File.Pointer)
}

// describeFile returns a sentence about the files of a job.
func (j *job) describeFile() string {
	text := "Each response becomes a file in out/files, named by its header Content-Disposition, else by its address"
	if name := config.FileName.In(j.File).Value; !name.IsNull() {
		text = "Each response becomes a file in out/files, named " + name.JSON()
	}
	if tags := config.FileTags.In(j.File); tags.Present() {
		text += ", with the tags " + tags.Value.JSON()
	}
	if config.FilePermanent.Of(j.File) {
		text += ", permanent"
	}
	return text + "."
}

// evaluateFile evaluates the expressions of `file` for a response.
func (p *pipeline) evaluateFile(res *httpclient.Response) (v value.Value, err error) {
	heads := expr.HeaderMembers(res.Header, p.file.References(expr.ResponseHeader))
	err = p.evalRegisteringSecrets(p.scope.With(expr.ResponseHeader, heads), func(scope *expr.Scope) error {
		v, err = p.file.Eval(scope)
		return err
	})
	return v, err
}

// fileFacts returns the name of a file before it is numbered, and its media type. The
// name is masked: it shows where data is not expected.
func (p *pipeline) fileFacts(res *httpclient.Response) (facts response.FileFacts, err error) {
	evaluated, err := p.evaluateFile(res)
	if err != nil {
		return facts, err
	}
	facts.ContentType = strings.ToValidUTF8(strings.TrimSpace(res.Header.Get("Content-Type")), "\uFFFD")
	name := evaluated.Field(config.FileName.Name)
	switch {
	case name.Kind() == value.Array || name.Kind() == value.Object:
		return facts, failure.Userf("the name of a file is %s, expected a text", name.Kind().WithArticle()).At(config.FileName.In(p.File).Pointer)
	case name.Secret():
		facts.Name = files.SafeText(secret.Hidden)
	case strings.TrimSpace(name.Text()) != "":
		facts.Name = p.maskedName(name.Text(), files.SafeText)
	default:
		facts.Name = p.maskedName(files.SuggestedName(res.Header, res.RequestURL()), files.SafeName)
	}
	return facts, nil
}

// maskedName makes a name safe. It masks secrets before and afterwards: a secret that was
// shortened, or has control characters, would not be found.
func (p *pipeline) maskedName(name string, safe func(string) string) string {
	return safe(p.secrets.Mask(safe(p.secrets.Mask(name))))
}

// fileManifest returns the manifest of the file of a response.
func (p *pipeline) fileManifest(res *httpclient.Response) (m files.Manifest, err error) {
	evaluated, err := p.evaluateFile(res)
	if err != nil {
		return m, err
	}
	m.Permanent = config.FilePermanent.Of(p.File)
	for _, tag := range evaluated.Field(config.FileTags.Name).Items() {
		if kind := tag.Kind(); kind == value.Array || kind == value.Object {
			return m, failure.Userf("a tag of a file is %s, expected a text", kind.WithArticle()).At(config.FileTags.In(p.File).Pointer)
		}
		text := strings.TrimSpace(p.secrets.Mask(tag.Text()))
		if tag.Secret() {
			text = secret.Hidden
		}
		if text != "" {
			m.Tags = append(m.Tags, text)
		}
	}
	return m, nil
}

// runFiles are the files of a run.
type runFiles struct {
	*files.Directory
	replay bool // true if only names are reserved, see env.Run.Files
	count  int
	bytes  int64
}

// add stores the body of a response as a file, and returns the row of the file with its
// name.
func (f *runFiles) add(row value.Packed, result *pageResult) (value.Packed, error) {
	name, _ := row.At(response.FileName, ".")
	size, _ := row.At(response.FileSize, ".")
	var contents io.Reader = http.NoBody
	if !f.replay {
		contents = result.body.Raw()
	}
	stored, err := f.Directory.Add(name.Text(), contents, result.manifest)
	if err != nil {
		return nil, err
	}
	f.count++
	bytes, _ := size.Int()
	f.bytes += bytes
	if stored == name.Text() {
		return row, nil
	}
	return row.AppendMap(nil, func(dst, member []byte, v value.Packed) ([]byte, error) {
		if string(member) == response.FileName {
			return value.PackString(dst, stored), nil
		}
		return append(dst, v...), nil
	})
}

// removeAll removes the files, because the jobs that added them have failed.
func (f *runFiles) removeAll() error {
	f.count, f.bytes = 0, 0
	return f.Directory.RemoveAll()
}

// written returns the number of files in out/files.
func (f *runFiles) written() int {
	if f.replay {
		return 0
	}
	return f.count
}

// report emits the number of files.
func (f *runFiles) report(log *event.Log) {
	switch {
	case f.count == 0:
	case f.replay:
		log.Emit(event.FilesReplayed{Files: f.count})
	default:
		log.Emit(event.FilesWritten{Files: f.count, Bytes: f.bytes})
	}
}
