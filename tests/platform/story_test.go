package platform

import (
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/keboola/configurable-extractor/internal/chromium"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
)

// TestStory does with the page what a new user would, without a terminal: from a curl
// command to tables, through a typo, a try, a job that fails and one that is cancelled, and
// back to an earlier version. Everything is real: the program, the component that it
// starts, the sample API and the browser.
func TestStory(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser and a platform")
	b := &user{T: t, Browser: chromium.New(t)}
	b.stack = serve(t, t.TempDir())
	b.Look(1360, 900, "light")

	b.logIn()
	b.begin(sampleAPI(t))
	b.try()
	b.correctTypo()
	b.run("success")
	b.openTable()
	b.failAndFix()
	b.cancel()
	b.restore()
	b.Quiet(strings.TrimPrefix(b.address(), "http://"))
}

// sampleAPI starts the shop; its stock is always busy. Pictures show its usual address.
func sampleAPI(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(shop.New(shop.Options{BusyEvery: 1}))
	if golden.Update(t) {
		listener, err := net.Listen("tcp", "127.0.0.1:8089")
		if err != nil {
			t.Fatal(err)
		}
		_ = server.Listener.Close() // it has served nothing
		server.Listener = listener
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// user is someone at a browser.
type user struct {
	*testing.T
	*chromium.Browser
	*stack
}

func (u *user) address() string { return strings.TrimSuffix(u.storage, "/v2/storage") }

// publish updates a picture of the documentation.
func (u *user) publish(name string) {
	u.Helper()
	if golden.Update(u.T) {
		u.Picture(filepath.Join("..", "..", "docs", "images", name+".png"))
	}
	u.shot(name)
}

// shot takes a picture for someone to look at, in the directory that the environment
// variable PAGE_SHOTS names.
func (u *user) shot(name string) {
	u.Helper()
	if dir := os.Getenv("PAGE_SHOTS"); dir != "" {
		u.Picture(filepath.Join(dir, name+".png"))
	}
}

// keys types into what has the focus.
func (u *user) keys(keys string) {
	u.Helper()
	u.Do(chromedp.KeyEvent(keys))
}

// paste inserts a text at the cursor, or in place of what is selected.
func (u *user) paste(text string) {
	u.Helper()
	if _, err := chromedp.Call(u.Ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		u.Fatal(err)
	}
}

// mark selects a text in the editor.
func (u *user) mark(text string) {
	u.Helper()
	quoted := strconv.Quote(text)
	u.Until(`(() => {
		const area = document.getElementById("document");
		const at = area.value.indexOf(` + quoted + `);
		area.focus();
		area.setSelectionRange(at, at + ` + quoted + `.length);
		return at >= 0;
	})()`)
}

// save stores what is in the editor.
func (u *user) save(comment string, version int) {
	u.Helper()
	u.Do(chromedp.Focus(chromedp.ID("comment")))
	u.paste(comment)
	u.Enter()
	u.Until(`document.getElementById("editor-state").textContent === "Saved as version ` + strconv.Itoa(version) + `."`)
}

// run runs the configuration whose editor is open, and waits for the end of the job.
func (u *user) run(status string) {
	u.Helper()
	u.start()
	u.Until(`document.querySelector("#job-head .status")?.textContent === "` + status + `"`)
}

func (u *user) start() {
	u.Helper()
	u.Click(".breadcrumbs a:nth-of-type(2)")
	u.Until(`document.querySelector("#run .primary") !== null`)
	u.Click("#run .primary")
	u.Until(`document.getElementById("job-head") !== null`)
}

// edit leads from a job to the editor of its configuration.
func (u *user) edit() {
	u.Helper()
	u.Click(".breadcrumbs a:nth-of-type(2)")
	u.Until(`document.querySelector(".headline a[href$='/edit']") !== null`)
	u.Click(".headline a[href$='/edit']")
	u.Until(opened)
}

const opened = `document.querySelectorAll(".editor-line").length > 10`

func (u *user) logIn() {
	u.Helper()
	u.Do(chromedp.Navigate(u.address()))
	u.Until(`document.getElementById("token") !== null`)
	u.keys("local" + kb.Enter)
	u.Until(`document.querySelector(".top nav a[href$='/begin']") !== null`)
}

func (u *user) begin(api string) {
	u.Helper()
	u.Click(".top nav a[href$='/begin']")
	u.Until(`document.getElementById("example") !== null`)
	u.Do(chromedp.Focus(chromedp.ID("example")))
	u.paste("curl -u " + shop.User + ":" + shop.Password + " '" + api + "/orders?after=0'")
	u.Click("#begin-example button")
	u.Until(`document.querySelectorAll("#draft .question").length > 1 && document.querySelector(".response").textContent.includes("9007199254740993017")`)
	u.shot("begin")
	u.Click("input[name=key][value=id]")
	u.Until(`document.querySelector(".source").textContent.includes("primaryKey")`)
	u.Do(chromedp.SetValue(chromedp.ID("name"), "Orders of the shop"))
	u.Click("#draft .confirm button")
	u.Until(opened)
	if text := chromium.Ask[string](u.Browser, "document.documentElement.outerHTML"); strings.Contains(text, shop.Password) {
		u.Error("the password is in the page")
	}
}

// correctTypo types a wrong key, which is marked, and corrects it by completion.
func (u *user) correctTypo() {
	u.Helper()
	const problem, known = `document.querySelector(".finding-list")?.textContent.includes("Did you mean \"dataField\"?") && document.querySelector(".mark-warning") !== null`, `document.querySelector(".finding-list") === null`
	u.mark("dataField")
	u.keys("dataFeild")
	u.Until(problem)
	u.mark("dataFeild")
	u.keys("data")
	const chosen = `!document.querySelector(".editor-popup").hidden && document.querySelector("[aria-selected=true]").textContent.startsWith("%KEY%")`
	u.Until(strings.ReplaceAll(chosen, "%KEY%", "dataType"))
	u.keys(kb.ArrowDown)
	u.Until(strings.ReplaceAll(chosen, "%KEY%", "dataField"))
	u.publish("editor")
	u.Enter()
	u.Until(`document.getElementById("document").value.includes('"dataField": "orders"') && ` + known)
	u.save("The list of orders", 2)
}

// try runs the text of the editor and looks at its second request.
func (u *user) try() {
	u.Helper()
	u.Click("#try-start")
	u.Until(`document.querySelector("#try-result .status")?.textContent === "success" && document.querySelectorAll("#try-tree .tree-request").length > 2`)
	u.Click("#try-tree .tree-request[href$='/requests/2']")
	u.Until(`(() => {
		const marked = [...document.querySelectorAll("#try-request .is-next")];
		return marked.length === 1 && marked[0].textContent.includes('"id": 1008');
	})()`)
	u.Until(`(() => {
		const marked = document.querySelector("#try-request .is-next");
		marked.closest(".try-code").scrollTop = marked.offsetTop - 160;
		document.getElementById("try-requests").scrollIntoView();
		return scrollY > 0;
	})()`)
	u.publish("try")
	u.Until(`(scrollTo(0, 0), scrollY === 0)`)
}

func (u *user) openTable() {
	u.Helper()
	u.shot("job")
	u.Until(`document.querySelector("#job-tables a") !== null`)
	u.Click("#job-tables a")
	u.Until(`document.querySelectorAll("#table-rows tbody tr").length === 10`)
	u.Do(chromedp.NavigateBack())
	u.Until(`document.getElementById("job-head") !== null`)
}

// failAndFix makes the configuration fail, and follows the page to what to fix.
func (u *user) failAndFix() {
	u.Helper()
	u.edit()
	u.mark(`"endpoint": "orders"`)
	u.keys(`"endpoint": "oders"`)
	u.save("A wrong address", 3)
	u.run("error")
	u.Until(`document.querySelector(".fault h2")?.textContent === "What to fix"`)
	u.shot("failed")
	u.Click(".fault .at a.button")
	u.Until(opened + ` && (() => { const a = document.getElementById("document"); return a.value.slice(a.selectionStart).startsWith('{"endpoint": "oders"'); })()`)
	u.mark("oders")
	u.keys("orders")
	u.save("The right address", 4)
	u.run("success")
}

// cancel ends a job that waits for an API that is always busy.
func (u *user) cancel() {
	u.Helper()
	u.edit()
	u.mark(`"endpoint": "orders"`)
	u.keys(`"endpoint": "stock"`)
	u.save("The stock", 5)
	u.start()
	u.Until(`document.getElementById("job-requests")?.textContent.includes("429") && document.querySelector("#job-head form[action$='/kill']") !== null`)
	u.shot("waiting")
	u.Click("#job-head form[action$='/kill'] button")
	u.Until(`document.querySelector("#job-head .status").textContent === "terminated"`)
}

// restore compares versions and goes back to the one that works.
func (u *user) restore() {
	u.Helper()
	u.edit()
	u.Click(".headline a[href$='/versions']")
	u.Until(`document.querySelectorAll(".version-table tbody tr").length === 5`)
	u.Click("input[name=from][value='4']")
	u.Click("input[name=to][value='5']")
	u.Click(".version-actions .primary")
	const compared = `[...document.querySelectorAll(".compared .%KIND%")].some((line) => line.textContent.includes("%TEXT%"))`
	u.Until(strings.NewReplacer("%KIND%", "old", "%TEXT%", "orders").Replace(compared))
	u.Until(strings.NewReplacer("%KIND%", "new", "%TEXT%", "stock").Replace(compared))
	u.shot("versions")
	u.Click("form[action$='/versions/4/restore'] button")
	u.Until(`document.querySelectorAll(".version-table tbody tr").length === 6`)
	u.Click(".headline a[href$='/edit']")
	u.Until(opened + ` && document.getElementById("document").value.includes('"endpoint": "orders"')`)
}
