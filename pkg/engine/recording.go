package engine

import (
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pagePath returns the position of a page in the whole run, see har.Origin.
func (s *stream) pagePath(at position) []int {
	return append([]int{max(s.iteration, 1), s.rootNumber}, at...)
}

// recordPage writes the findings about a page to the recording: its rows, the paths that
// were read, and the reason to stop after it.
func (s *stream) recordPage(p *pageResult, stop *pagination.Stop) error {
	if s.recorder == nil || p.page == nil && stop == nil {
		return nil
	}
	found := har.PageFindings{At: s.pagePath(s.position.child(p.number))}
	if p.page != nil {
		found.Rows = p.page.Rows
		found.Data = s.itemsPath(p.page)
		needs := s.scroller.Needs
		for _, field := range needs.Fields {
			found.Next = append(found.Next, field.Segments())
		}
		if needs.ItemID.Text != "" {
			found.Next = append(found.Next, append([]string{"*"}, needs.ItemID.Segments()...))
		}
		found.NextHeader = needs.Header
	}
	if stop != nil {
		found.Stop, found.Pointer = stop.Rule, stop.Pointer
	}
	return s.recorder.Read(found)
}

// itemsPath returns the path of the items of a page, see har.PageFindings. It returns nil
// if the path is not known.
func (s *stream) itemsPath(page *response.Page) []string {
	switch {
	case s.DataField.Path != "":
		return append([]string{}, dataPath(s.Job).Segments()...)
	case page.Root == value.Array:
		return []string{}
	case len(page.Lists) == 1:
		return page.Lists
	default:
		return nil
	}
}
