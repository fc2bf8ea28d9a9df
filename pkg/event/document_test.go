package event

import (
	"fmt"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestSecretsIn(t *testing.T) {
	t.Parallel()
	doc, err := value.Parse([]byte(`{"a":1,"#b":"x","c":[{"#d/e":{"f":["y",2,true,null,""]}}],"g":{"h":"z"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for pointer, secret := range SecretsIn(doc) {
		got = append(got, pointer+"="+secret)
	}
	if want := "[/#b=x /c/0/#d~1e/f/0=y /c/0/#d~1e/f/1=2 /c/0/#d~1e/f/4=]"; fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	for range SecretsIn(doc) {
		break // the rest is not asked for
	}
}
