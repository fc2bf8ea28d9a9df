package webui

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestTryInBrowser tries a configuration in the editor, looks at a request, tries a change
// without the API, and cancels a try.
func TestTryInBrowser(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	p := newTryPlatform(t)
	p.shop.pad = 60
	b := newBrowser(p.platform)
	b.Look(1440, 900, "light")
	b.Do(chromedp.Navigate(b.server + "/?token=a+token+%26+more"))
	b.visit("/configurations/acme.ex-shop/1/edit")

	const ended = `document.getElementById("try-result")?.dataset.stream === undefined && document.querySelector("#try-result .status")?.textContent === "%STATUS%"`
	until := func(status string) { b.Until(strings.ReplaceAll(ended, "%STATUS%", status)) }
	b.Do(chromedp.Click(chromedp.ID("try-start")))
	until("success")
	if got := ask[int](b, `document.querySelectorAll("#try-tree .tree-request").length`); got != 10 {
		b.Errorf("the tree has %d requests", got)
	}
	if text := ask[string](b, `document.documentElement.outerHTML`); strings.Contains(text, "let-me-in-please") || strings.Contains(text, "tok-9-secret") {
		b.Error("a secret is in the page")
	}
	b.Do(chromedp.Click(chromedp.CSS("#try-tree .tree-request[href$='/requests/2']")))
	b.Until(`document.querySelector("#try-request .is-next") !== null && document.activeElement.id === "try-request-title"`)
	if got := ask[string](b, `document.querySelector("#try-request .try-parts").innerText`); !strings.Contains(got, "baseUrl + endpoint") || !strings.Contains(got, "job, attr since") {
		b.Errorf("the address is explained by %q", got)
	}
	if got := ask[string](b, `document.querySelector("#try-request .is-next code").textContent.trim()`); got != `"next": 2,` {
		b.Errorf("the value for the next page is %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(`#try-request .try-edit[data-at="/parameters/config/jobs/0/params/since"]`)))
	if got := ask[string](b, `(() => {
		const area = document.getElementById("document");
		return area.value.slice(area.selectionStart - 9, area.selectionEnd + 8);
	})()`); got != `"since": {"attr": ` {
		b.Errorf("the source leads to %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(`#try-request [rel=next]`)))
	b.Until(`document.querySelector("#try-request .try-url").textContent.includes("/orders/1/items")`)
	b.Do(chromedp.Focus(chromedp.CSS("#try-tree .tree-request[aria-current]")))
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	if got := ask[string](b, `document.activeElement.getAttribute("href")`); !strings.HasSuffix(got, "/requests/4") {
		b.Errorf("the arrow leads to %q", got)
	}

	asked := p.shop.requests.Load()
	ask[string](b, `(() => {
		const area = document.getElementById("document");
		area.value = area.value.replace('"shop"', '"other"');
		area.dispatchEvent(new Event("input", {bubbles: true}));
		return area.value;
	})()`)
	b.Do(chromedp.Click(chromedp.ID("try-replay")))
	b.Until(`document.querySelector("#try-result .try-table code")?.textContent === "other.orders"`)
	if now := p.shop.requests.Load(); now != asked {
		b.Errorf("the API was asked %d times", now-asked)
	}
	c, err := p.store.Configuration("acme.ex-shop", "1")
	b.must(err)
	if c.Version != 1 || strings.Contains(string(c.Configuration), "other") {
		b.Errorf("the try stored version %d", c.Version)
	}

	hold := make(chan struct{})
	p.shop.hold.Store(&hold)
	b.Do(chromedp.Click(chromedp.ID("try-start")))
	b.Until(`document.getElementById("try-cancel") !== null`)
	b.Do(chromedp.Click(chromedp.ID("try-cancel")))
	until("cancelled")
	close(hold)

	b.Do(chromedp.SetValue(chromedp.ID("document"), "{"))
	b.Do(chromedp.Click(chromedp.ID("try-start")))
	b.Until(`!document.getElementById("try-problem").hidden`)
	b.Look(390, 900, "light")
	if wide := ask[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		b.Errorf("the page is %d wide on a phone", wide)
	}
	b.quiet("422") // the text that is not JSON
}
