package page

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/short"
)

func TestTryInBrowser(t *testing.T) {
	short.Skip(t, "it starts a browser")
	p := newTryPlatform(t)
	b := newBrowser(p.platform)
	b.look(1440, 900, "light")
	b.do(chromedp.Navigate(b.server + "/?token=" + "a+token+%26+more"))
	path := p.run(p.shop.document(`, {"endpoint": "nowhere"}`))
	b.visit(path)
	b.shots("try")
	b.do(chromedp.Click(chromedp.CSS("#try-tree .tree-request[href$='/requests/2']")))
	b.until(`document.getElementById("try-request") !== null`)
	b.shots("try-request")
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("try-request").scrollIntoView()`))
	b.shots("try-request-scrolled")
}
