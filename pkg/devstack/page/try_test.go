package page

import (
	"fmt"
	"os"
	"testing"
)

func TestTrySmoke(t *testing.T) {
	p := newTryPlatform(t)
	path := p.run(p.shop.document(""))
	text := p.look(path)
	os.WriteFile("/tmp/p2-try.html", []byte(text), 0o600)
	for i := 1; i < 9; i++ {
		os.WriteFile(fmt.Sprintf("/tmp/p2-try-%d.html", i), []byte(p.look(fmt.Sprintf("%s/requests/%d", path, i))), 0o600)
	}
}
