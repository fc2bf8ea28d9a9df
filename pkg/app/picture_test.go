package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// shopConfig is the configuration of the run that the picture shows.
const shopConfig = `{"parameters": {
	"api": {"baseUrl": "http://api.test/", "pagination": {"method": "offset", "limit": 100}},
	"config": {"jobs": [
		{"endpoint": "products"},
		{"endpoint": "customers", "children": [{"endpoint": "customers/{id}/orders", "placeholders": {"id": "id"}}]}
	]}
}}`

// columns is the width of the terminal in the picture, in characters.
const columns = 110

// TestPictureOfLiveLines makes docs/images/live.svg: what a terminal shows while a run
// waits because the API answered with 429.
func TestPictureOfLiveLines(t *testing.T) {
	c := clock.At(time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC))
	api := httptest.NewServer(slowShop(c))
	defer api.Close()

	ticks, frames := make(chan time.Time), make(lastFrame, 1)
	var shown string
	var log bytes.Buffer
	exit, _, stderr, _ := trial(t, shopConfig, func(o *Options) {
		o.Version, o.LogFormat, o.Stdout = "1.0.0", "console", &log
		o.Now = c.Now
		o.Live = event.NewLive(event.LiveOptions{
			Terminal: frames, Ticks: ticks, Secrets: &secret.Registry{}, Now: c.Now,
			Size: func() (width, height int, err error) { return columns, 24, nil },
		})
		o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, api.Listener.Addr().String())
		}
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			const watched = 3 * time.Second
			c.Advance(watched)
			frames.drop()
			ticks <- c.Now()
			shown = log.String() + <-frames
			return c.Sleep(ctx, d-watched)
		}
	})
	if exit != 0 || shown == "" {
		t.Fatalf("exit code %d, shown %q: %s", exit, shown, stderr)
	}
	golden.File(t, "../../docs/images/live.svg", terminalSVG("extractor run my-data", shown))
}

// slowShop has 140 products, and as many customers with a few orders each. It needs 120 ms
// for a response, and refuses a request for the orders of one customer once.
func slowShop(c *clock.Clock) http.Handler {
	refused := false
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Advance(120 * time.Millisecond)
		items := 0
		var customer int
		switch _, err := fmt.Sscanf(r.URL.Path, "/customers/%d/orders", &customer); {
		case err == nil && customer == 63 && !refused:
			refused = true
			w.Header().Set("Retry-After", "12")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		case err == nil:
			items = customer%5 + 2
		case r.URL.Query().Get("offset") == "0":
			items = 100
		default:
			items = 40
		}
		list := []map[string]int{}
		for id := range items {
			list = append(list, map[string]int{"id": id + 1, "price": 10 * id})
		}
		// A client that is gone has its own error.
		_ = json.NewEncoder(w).Encode(list)
	})
}

// lastFrame is a terminal that keeps the latest lines drawn on it.
type lastFrame chan string

var _ io.Writer = lastFrame(nil)

func (f lastFrame) Write(p []byte) (int, error) {
	if _, drawn, ok := strings.Cut(string(p), "\x1b[?7l"); ok {
		f.drop()
		f <- strings.TrimSuffix(drawn, "\x1b[?7h")
	}
	return len(p), nil
}

func (f lastFrame) drop() {
	select {
	case <-f:
	default:
	}
}

// eventLine has the parts of an event on the terminal that have a colour.
var eventLine = regexp.MustCompile(`^(\d\d:\d\d:\d\d) (info |WARN |ERROR) (.*)$`)

// terminalSVG is a picture of a terminal after a command.
func terminalSVG(command, text string) string {
	const left, top, line, width = 16, 30, 20, columns*8 + 16
	var lines []string
	for text := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for part := range slices.Chunk([]rune(text), columns) { // the terminal wraps
			lines = append(lines, string(part))
		}
	}
	var b strings.Builder
	height := top + line*len(lines) + 16
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title">
<title id="title">A terminal during a run: events above, one line for each running job below</title>
<!-- Made by TestPictureOfLiveLines in pkg/app. -->
<style>
.screen { fill: #f6f8fa; stroke: #d0d7de }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.faint { fill: #656d76 }
.WARN { fill: #9a6700; font-weight: bold }
.ERROR { fill: #cf222e; font-weight: bold }
@media (prefers-color-scheme: dark) {
.screen { fill: #151b23; stroke: #3d444d }
text { fill: #f0f6fc }
.faint { fill: #9198a1 }
.WARN { fill: #d29922 }
.ERROR { fill: #f85149 }
}
</style>
<rect class="screen" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
`, width, height, width, height, width-1, height-1)
	write := func(row int, content string) {
		fmt.Fprintf(&b, `<text xml:space="preserve" x="%d" y="%d">%s</text>`+"\n", left, top+line*row, content)
	}
	write(0, `<tspan class="faint">$ </tspan>`+html.EscapeString(command))
	for i, text := range lines {
		parts := eventLine.FindStringSubmatch(text)
		if parts == nil {
			write(i+1, html.EscapeString(text))
			continue
		}
		write(i+1, fmt.Sprintf(`<tspan class="faint">%s</tspan> <tspan class="%s">%s</tspan> %s`,
			parts[1], strings.TrimSpace(parts[2]), parts[2], html.EscapeString(parts[3])))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
