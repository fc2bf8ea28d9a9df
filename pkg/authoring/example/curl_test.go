package example

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func env(name string) string { return map[string]string{"TOKEN": "t0k en"}[name] }

// show is a request in a few lines.
func show(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Method, r.URL)
	var names []string
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\n%s: %s", name, strings.Join(r.Header[name], "|"))
	}
	if len(r.Body) > 0 {
		fmt.Fprintf(&b, "\n\n%s", r.Body)
	}
	if r.Insecure {
		b.WriteString("\ninsecure")
	}
	return b.String()
}

func TestFromCurl(t *testing.T) {
	const form = "\nContent-Type: application/x-www-form-urlencoded\n\n"
	tests := []struct{ name, command, want string }{
		{"an address", "curl https://h/x?a=1", "GET https://h/x?a=1"},
		{"in quotes", `curl 'https://h/x?a=1&b=2#top'`, "GET https://h/x?a=1&b=2"},
		{"without a scheme", "curl h/x", "GET http://h/x"},
		{"by --url", "curl --url https://h/x", "GET https://h/x"},
		{"copied with a prompt", "$ curl https://h/x", "GET https://h/x"},
		{"another curl", `/usr/bin/curl.exe https://h/x`, "GET https://h/x"},
		{"lines", "curl https://h/x \\\n  -H 'A: 1' \\\n  --compressed\n", "GET https://h/x\nA: 1"},
		{"a header", `curl https://h/x -H "X-Key:  a b " -H 'X-Key: c' --header 'Empty:' -H 'None;'`, "GET https://h/x\nX-Key: a b|c"},
		{"joined to its option", `curl -H'A: 1' -XDELETE https://h/x`, "DELETE https://h/x\nA: 1"},
		{"a variable", `curl https://h/x -H "Authorization: Bearer $TOKEN"`, "GET https://h/x\nAuthorization: Bearer t0k en"},
		{"no variable in single quotes", `curl 'https://h/x?q=$TOKEN'`, "GET https://h/x?q=$TOKEN"},
		{"ANSI quotes", `curl https://h/x --data-raw $'{"a":"it\'s"}' -H 'content-type: application/json'`, "POST https://h/x\nContent-Type: application/json\n\n{\"a\":\"it's\"}"},
		{"data", "curl https://h/x -d a=1 -d b=2", "POST https://h/x" + form + "a=1&b=2"},
		{"data to be encoded", "curl https://h/x --data-urlencode 'a=1 2' --data-urlencode '3&4' --data-urlencode '=5=6'", "POST https://h/x" + form + "a=1+2&3%264&5%3D6"},
		{"raw data", "curl https://h/x --data-raw @a", "POST https://h/x" + form + "@a"},
		{"data in the query", "curl -G 'https://h/x?z=0' -d a=1 --data-urlencode 'b=1 2'", "GET https://h/x?z=0&a=1&b=1+2"},
		{"no data in the query", "curl -G https://h/x", "GET https://h/x"},
		{"JSON", `curl https://h/x --json '{"a":1}'`, "POST https://h/x\nContent-Type: application/json\n\n{\"a\":1}"},
		{"data by another method", "curl -X put https://h/x -d a=1", "PUT https://h/x" + form + "a=1"},
		{"user and password", "curl -u ann:s3cret https://h/x", "GET https://h/x\nAuthorization: Basic YW5uOnMzY3JldA=="},
		{"cookies", "curl -b a=1 --cookie 'b=2; c=3' https://h/x", "GET https://h/x\nCookie: a=1; b=2; c=3"},
		{"agent and referer", "curl -A me -e https://r/ https://h/x", "GET https://h/x\nReferer: https://r/\nUser-Agent: me"},
		{"an unchecked certificate", "curl -k https://h/x", "GET https://h/x\ninsecure"},
		{"what changes nothing", "curl -sSLvifgN# --http2 -o out.json -w '%{http_code}' --max-time 5 https://h/x", "GET https://h/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := FromCurl(tt.command, env)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(r); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestFromCurlRefuses(t *testing.T) {
	tests := []struct{ name, command, want string }{
		{"nothing", "", "expected a command that begins with curl"},
		{"another program", "wget https://h/x", "expected a command that begins with curl"},
		{"an open quote", "curl 'https://h/s3cret", "a quote is not closed"},
		{"a pipe", "curl https://h/x | jq .s3cret", "it is not one simple command"},
		{"a bare &", "curl https://h/x?a=1&b=s3cret", "put a URL with & in quotes"},
		{"a command in it", `curl https://h/x -H "A: $(cat s3cret)"`, "commands in it are not run"},
		{"a variable that is not set", "curl https://h/$PATHS", "uses the variable $PATHS, which is not set"},
		{"an unknown option", "curl --upload-file s3cret https://h/x", "curl's option --upload-file is not supported; supported are -X"},
		{"an unknown short one", "curl -Ts3cret https://h/x", "curl's option -T is not supported"},
		{"an option without its value", "curl https://h/x -H", "curl's option H needs a value"},
		{"no address", "curl -H 'A: 1'", "expected one URL in the curl command, found 0"},
		{"two addresses", "curl https://h/x https://h/y", "expected one URL in the curl command, found 2"},
		{"no address at all", "curl ftp://h/x", "expected a URL like"},
		{"a form with files", "curl -F a=@s3cret https://h/x", "-F sends a multipart form"},
		{"a file as data", "curl -d @s3cret https://h/x", "--data names a file"},
		{"a file to be encoded", "curl --data-urlencode a@s3cret https://h/x", "--data-urlencode names a file"},
		{"a file of cookies", "curl -b s3cret https://h/x", "-b names a file"},
		{"no password", "curl -u s3cret https://h/x", "-u has no password"},
		{"no header", "curl -H ': s3cret' https://h/x", "-H needs a header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := FromCurl(tt.command, env)
			if failure.KindOf(err) != failure.User || !strings.Contains(fmt.Sprint(err), tt.want) || strings.Contains(fmt.Sprint(err), "s3cret") {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestFromURL(t *testing.T) {
	if r, err := FromURL("https://h/x?a=1"); err != nil || show(r) != "GET https://h/x?a=1" {
		t.Errorf("%s, %v", show(r), err)
	}
	for _, wrong := range []string{"", "h/x", "offset", "ftp://h", "http://", "http://{{host}}/s3cret", "https://h s3cret/", "http://h:port/s3cret"} {
		if _, err := FromURL(wrong); failure.KindOf(err) != failure.User || strings.Contains(fmt.Sprint(err), "s3cret") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// FuzzFromCurl: any text is a request that can be sent, or a user error.
func FuzzFromCurl(f *testing.F) {
	for _, seed := range []string{
		"curl https://h/x", `curl -X POST 'https://h/x' -H 'A: 1' --data-raw $'{"a":1}' -u a:b -k`, "curl -G h -d a --data-urlencode b=c -b x=y",
		"curl {a,b}", "curl ~", "curl ${a:-b}", "curl $((1+1))", "curl --json '{}' \\\n h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		r, err := FromCurl(command, func(name string) string { return "v" })
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Errorf("not a user error: %v", err)
			}
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil || u.Host == "" || r.Method == "" {
			t.Errorf("%q became %q %q (%v)", command, r.Method, r.URL, err)
		}
		if _, err := http.NewRequest(http.MethodGet, r.URL, nil); err != nil {
			t.Error(err)
		}
	})
}
