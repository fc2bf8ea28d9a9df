package infer

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func sortedNames(h http.Header) []string { return slices.Sorted(maps.Keys(h)) }

// ownHeaders are set by the HTTP connection, by the extractor or by the authentication.
var ownHeaders = []string{"Host", "Content-Length", "Content-Type", "Connection", "Accept-Encoding", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Keep-Alive", "Authorization", "Cookie"}

// browserHeaders describe the program that sent the request. They do not affect the
// response.
var browserHeaders = []string{"User-Agent", "Accept-Language", "Referer", "Origin", "Cache-Control", "Pragma", "Dnt", "Priority", "Upgrade-Insecure-Requests", "Range", "Alt-Used", "Save-Data", "X-Client-Data"}

func browserHeader(name string) bool {
	return slices.Contains(browserHeaders, name) || strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "If-") || strings.HasPrefix(name, "Proxy-")
}

// addHeaders adds the remaining headers of the request that may affect the response.
func (d *configBuilder) addHeaders() {
	var left []string
	for _, name := range sortedNames(d.x.Header) {
		text := strings.Join(d.x.Header[name], ", ")
		switch {
		case slices.Contains(ownHeaders, name), isCredential(name, d.x.Header[name]) && !browserHeader(name), strings.TrimSpace(text) == "":
		case name == "Accept" && (strings.Contains(text, "*/*") || strings.Contains(text, "text/html") || d.acceptedByDefault(text)):
		case browserHeader(name), !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(text):
			left = append(left, name)
		default:
			d.apiHeaders = append(d.apiHeaders, value.Member{Name: name, Value: value.OfString(text)})
			d.guess("header", failure.PointerJoin(pointer(config.APISection, config.HTTPSection, config.APIHeaders), name), value.OfString(text), likely, "the request has it, and it is none of those that every browser sends")
		}
	}
	if len(left) > 0 {
		d.note("Left out, because they only describe the program that sent the example: " + strings.Join(left, ", ") + ".")
	}
	if d.x.Insecure {
		d.note("The example does not check the server's certificate, the extractor always does: if the certificate is not a public one, set api.caCertificate.")
	}
}

// acceptedByDefault reports whether the extractor itself sends all media types of the
// header Accept.
func (d *configBuilder) acceptedByDefault(accept string) bool {
	own := strings.Split(d.accept, ", ")
	for one := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(one, ";")
		if !slices.Contains(own, strings.ToLower(strings.TrimSpace(kind))) {
			return false
		}
	}
	return true
}
