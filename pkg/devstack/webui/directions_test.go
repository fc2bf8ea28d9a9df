package webui

import "testing"

func TestWithoutDirections(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ page, want string }{
		"none":      {"<p>č & <b>", "<p>č & <b>"},
		"text":      {"<P>a\u202eb\u2067</P>", "<P>a\ufffdb\ufffd</P>"},
		"attribute": {"<input VALUE='\u202e'>\u202e", "<input VALUE='\u202e'>\ufffd"},
		"edited":    {"<textarea>\n\u202e<b></textarea>\u202e", "<textarea>\n\u202e<b></textarea>\ufffd"},
		"title":     {"<title>\u2066&lt;</title>", "<title>\ufffd&lt;</title>"},
	} {
		if got := string(withoutDirections([]byte(one.page))); got != one.want {
			t.Errorf("%s: got %q, want %q", name, got, one.want)
		}
	}
}
