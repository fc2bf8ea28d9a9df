package infer

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// packed is a file in a compressed response. Its name is "" if it is the response itself.
type packed struct {
	name string
	text []byte
}

// unpack removes all compression and returns the first file with content.
func (r *reader) unpack() (packed, error) {
	files := []packed{{text: r.x.Response}}
	var wrappers []string
	member := ""
	for range response.MaxCompressions {
		name := response.CompressionOf(files[0].text)
		if name == "" {
			break
		}
		first := !slices.Contains(wrappers, "zip")
		wrappers = append(wrappers, name)
		r.settings = unpackSettings(wrappers, member)
		var err error
		if files, err = r.files(); err != nil {
			return packed{}, err
		}
		why := "it begins like a file compressed by " + name
		if name == "zip" && first {
			all := len(files)
			if member, files, err = r.choose(files); err != nil {
				return packed{}, err
			}
			why = "it begins like a zip"
			if member != "" {
				why += fmt.Sprintf("; the files that match '%s' are used (%d of %d)", member, len(files), all)
			}
			r.settings = unpackSettings(wrappers, member)
		}
		if len(wrappers) > 1 {
			why = "in that, " + why
		}
		r.evidence = append(r.evidence, why)
	}
	if i := slices.IndexFunc(files, func(f packed) bool { return len(f.text) > 0 }); i > 0 {
		return files[i], nil
	}
	return files[0], nil
}

// unpackSettings returns the settings of section `response` for a compressed response.
func unpackSettings(wrappers []string, member string) object {
	list := make([]value.Value, len(wrappers))
	for i, name := range wrappers {
		list[i] = value.OfString(name)
	}
	settings := object{{Name: response.UnpackSetting.Name, Value: value.OfItems(list...)}}
	if len(list) == 1 {
		settings[0].Value = list[0]
	}
	if member != "" {
		settings.set(response.MemberSetting.Name, value.OfString(member))
	}
	return settings
}

// files returns the files of the response, unpacked with the settings found so far.
func (r *reader) files() ([]packed, error) {
	spool, err := r.spool(r.x.Response)
	if err != nil {
		return nil, err
	}
	defer spool.Close() // the spool is in memory, so Close cannot fail
	var all []packed
	err = r.scanner.Files(spool, response.Query{Format: r.compiled(), MaxBytes: maxUnpacked}, func(name string, f io.Reader) error {
		text, err := io.ReadAll(f)
		all = append(all, packed{name, text})
		return err
	})
	if err != nil {
		return nil, r.userError(err)
	}
	return all, nil
}

// kind is a group of files of an archive with the same extension.
type kind struct {
	extension string
	format    string
	files     []packed
}

// rank returns 2 for formats with records, 1 for JSON, and 0 for unknown formats.
func (k kind) rank() int {
	switch k.format {
	case "":
		return 0
	case jsonFormat:
		return 1
	default:
		return 2
	}
}

// choose selects the files of an archive with the data. It returns a pattern for their
// names if the archive also has other files, otherwise "".
func (r *reader) choose(files []packed) (member string, taken []packed, err error) {
	var kinds []kind
	for _, f := range files {
		if f.name == "[Content_Types].xml" || f.name == "mimetype" {
			return "", nil, failure.Userf("%s returned an office document, which the extractor cannot read; request CSV", r.host)
		}
		own, whole := extension(f.name)
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.extension == whole })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, kind{extension: whole, format: extensions[own]})
		}
		kinds[i].files = append(kinds[i].files, f)
	}
	best := slices.MaxFunc(kinds, func(a, b kind) int {
		if order := a.rank() - b.rank(); order != 0 {
			return order
		}
		return len(a.files) - len(b.files)
	})
	member = "*" + best.extension
	if len(kinds) == 1 || best.extension == "" || strings.ContainsAny(best.extension, `*?[]\`) {
		return "", files, nil
	}
	if slices.ContainsFunc(best.files, func(f packed) bool { return !strings.HasSuffix(f.name, best.extension) }) {
		return "", files, nil // the pattern would miss extensions in capitals
	}
	return member, best.files, nil
}
