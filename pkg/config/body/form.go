package body

import "github.com/keboola/configurable-extractor/pkg/php"

// form scans the text of a form. A value may not complete a percent-encoding.
func (s *scanner) form() *Fault {
	for !s.done() {
		if s.text[s.at] != '%' {
			s.takeName(inForm)
			continue
		}
		const digits = 2
		if at := s.nameIn(s.at+1, s.at+1+digits); at >= 0 {
			return s.misplaced(at, "after a percent sign", "values are percent-encoded anyway; write %25 for a percent sign")
		}
		s.at++
	}
	return nil
}

func writeForm(dst []byte, text string) []byte { return append(dst, php.URLEncode(text)...) }
