package failure

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	text := "this secret: " + Part("a secret") + " and " + Parts([]string{"secret", "b"}) + " stay"
	const plain = "this secret: a secret and secret, b stay"
	if got := text.String(); got != plain {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprintf("%s.", text); got != plain+"." {
		t.Errorf("got %s", got)
	}
	if got, err := json.Marshal(Problem{Expected: text}); err != nil || string(got) != `{"pointer":"","expected":"`+plain+`"}` {
		t.Errorf("got %s, %v", got, err)
	}
	hide := func(part string) string { return strings.ReplaceAll(part, "secret", "[hidden]") }
	if got, want := text.Mask(hide), Text("this secret: a [hidden] and [hidden], b stay"); got != want {
		t.Errorf("got %q", got)
	}
	if got := Text("secret").Mask(hide); got != "secret" {
		t.Errorf("own words became %q", got)
	}
	// A text of the document cannot end its part.
	if got := Part("a" + partEnd + "secret" + partBegin).Mask(hide); got != "a[hidden]" {
		t.Errorf("got %q", got)
	}
}
