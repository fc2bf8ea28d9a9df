package faults

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

func responseFaults() []fault {
	return slices.Concat(cuts(), framing(), bodies(), endless(), encodings(), formats())
}

// cuts end the connection in the middle of the body, at every kilobyte, in each
// way in which a body can be announced.
func cuts() []fault {
	var all []fault
	for kilobytes := range 6 {
		at := max(1, kilobytes<<10)
		name := " after " + strconv.Itoa(at) + " bytes of the body"
		announced := func(s *strike) string {
			whole := s.whole()
			text := whole.wire(len(whole.body))
			return text[:len(text)-len(whole.body)+at]
		}
		all = append(all,
			fault{name: "closed" + name, body: at + 1, says: "network error 18", hit: func(s *strike) { s.send(announced(s)) }},
			fault{name: "chunks end" + name, body: at + 1, says: "network error 18", hit: func(s *strike) {
				text := chunked(s.whole())
				s.send(text[:strings.Index(text, "\r\n\r\n")+len("\r\n\r\n400\r\n")+at])
			}},
			fault{name: "reset" + name, body: at + 1, says: "network error", hit: func(s *strike) { s.reset(announced(s)) }},
		)
	}
	all = append(all,
		fault{name: "chunks without their end", says: "network error 18", hit: func(s *strike) { s.send(strings.TrimSuffix(chunked(s.whole()), "0\r\n\r\n")) }},
		fault{name: "Content-Length one too long", says: "network error 18", hit: func(s *strike) {
			whole := s.whole()
			s.send(whole.wire(len(whole.body) + 1))
		}},
		fault{name: "half-closed within the body", body: 100, says: "network error 18", hit: func(s *strike) {
			whole := s.whole()
			text := whole.wire(len(whole.body))
			conn := s.raw(text[:len(text)-50])
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}},
		fault{name: "compressed body cut", body: 100, says: "network error 18", hit: func(s *strike) {
			text := compressed(plain(s))
			s.say(200, string(text[:len(text)-20]), "Content-Encoding: gzip")
		}},
	)
	return with(passing("response cut in the middle"), all...)
}

// chunked is the response in chunks of a kilobyte.
func chunked(p reply) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
	if p.packed {
		b.WriteString("Content-Encoding: gzip\r\n")
	}
	b.WriteString("\r\n")
	for chunk := range slices.Chunk(p.body, 1024) {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(chunk), chunk)
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}

// plain is the body of the response, not compressed.
func plain(s *strike) []byte {
	whole := s.whole()
	if !whole.packed {
		return whole.body
	}
	r, err := gzip.NewReader(bytes.NewReader(whole.body))
	if err != nil {
		panic(err) // a mistake in this test
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return text
}

// framing is about the head of a response and how its body is announced.
func framing() []fault {
	const ok = "HTTP/1.1 200 OK\r\n"
	sending := func(text string) func(*strike) { return func(s *strike) { s.send(text) } }
	before := func(text string) func(*strike) {
		return func(s *strike) {
			whole := s.whole()
			s.send(text + whole.wire(len(whole.body)))
		}
	}
	return slices.Concat(
		with(fatal("response that is not valid HTTP"),
			fault{name: "another protocol", says: "not valid HTTP", hit: sending("220 mail.test ESMTP\r\n\r\n")},
			fault{name: "no head", says: "not valid HTTP", hit: func(s *strike) { s.send("[]\r\n\r\n") }},
			fault{name: "line without a colon", says: "not valid HTTP", hit: sending(ok + "no colon\r\n\r\n")},
			fault{name: "zero byte in the head", says: "not valid HTTP", hit: sending(ok + "X: a\x00b\r\n\r\n")},
			fault{name: "status that is not a number", says: "not valid HTTP", hit: sending("HTTP/1.1 fine OK\r\n\r\n")},
			fault{name: "status of four digits", says: "not valid HTTP", hit: sending("HTTP/1.1 2000 OK\r\n\r\n")},
			fault{name: "version of HTTP that does not exist", says: "not valid HTTP", hit: sending("HTTP/x.1 200 OK\r\n\r\n")},
			fault{name: "HTTP/2 that no one requested", says: "not valid HTTP", hit: sending("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80\x00\x04\x00\x01\x00\x00\x00\x05\x00\xff\xff\xff\r\n\r\n")},
			fault{name: "Content-Length that is not a number", says: "not valid HTTP", hit: sending(ok + "Content-Length: much\r\n\r\n[]")},
			fault{name: "negative Content-Length", says: "not valid HTTP", hit: sending(ok + "Content-Length: -1\r\n\r\n[]")},
			fault{name: "two Content-Lengths", says: "not valid HTTP", hit: sending(ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]")},
			fault{name: "unknown Transfer-Encoding", says: "not valid HTTP", hit: sending(ok + "Transfer-Encoding: rot13\r\n\r\n[]")},
			fault{name: "101 Switching Protocols", says: "101", hit: sending("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")},
		),
		with(fatal("head of more than a megabyte"),
			fault{name: "one header of two megabytes", says: "head of the response", hit: func(s *strike) { s.send(ok + "X: " + strings.Repeat("x", 2<<20) + "\r\n\r\n[]") }},
			fault{name: "endless headers", says: "head of the response", hit: func(s *strike) { s.endless(ok, strings.Repeat("X-Header: value\r\n", 1000)) }},
			fault{name: "endless status line", says: "head of the response", hit: func(s *strike) { s.endless("HTTP/1.1 200 ", strings.Repeat("OK ", 10000)) }},
			fault{name: "endless 103 Early Hints", says: "head of the response", hit: func(s *strike) {
				s.endless("", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100))
			}},
		),
		with(passing("body in broken chunks"),
			fault{name: "chunk without a length", says: "network error 56", hit: sending(ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n")},
			fault{name: "chunk longer than any", says: "network error 56", hit: sending(ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n[]\r\n0\r\n\r\n")},
			fault{name: "chunk without its end", says: "network error 56", hit: sending(ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n[]]]]\r\n0\r\n\r\n")},
			fault{name: "endless extension of a chunk", says: "network error 56", hit: func(s *strike) {
				s.endless(ok+"Transfer-Encoding: chunked\r\n\r\n2;", strings.Repeat("x", 10000))
			}},
		),
		with(fatal("Content-Length too short"),
			fault{name: "Content-Length one too short", body: 10, says: "JSON", hit: func(s *strike) {
				whole := s.whole()
				whole.packed, whole.body = false, plain(s)
				s.send(whole.wire(len(whole.body) - 1))
			}},
			fault{name: "half the Content-Length", body: 10, says: "JSON", hit: func(s *strike) {
				whole := s.whole()
				whole.packed, whole.body = false, plain(s)
				s.send(whole.wire(len(whole.body) / 2))
			}},
		),
		with(harmless("oddities of HTTP"),
			fault{name: "100 Continue before the response", hit: before("HTTP/1.1 100 Continue\r\n\r\n")},
			fault{name: "103 Early Hints before the response", hit: before("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")},
			fault{name: "ten 102 Processing before the response", hit: before(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 10))},
			fault{name: "another response after the response", hit: func(s *strike) {
				whole := s.whole()
				text := whole.wire(len(whole.body))
				s.send(text + text)
			}},
			fault{name: "another response after the response, on a connection that stays", hit: func(s *strike) {
				whole := s.whole()
				text := whole.wire(len(whole.body))
				s.hang(text + strings.Replace(text, "200 OK", "200 OK\r\nX-Second: 1", 1))
			}},
			fault{name: "HTTP/1.0 without a length", hit: func(s *strike) {
				s.send("HTTP/1.0 200 OK\r\n\r\n" + string(plain(s)))
			}},
			fault{name: "chunks and Content-Length", hit: func(s *strike) {
				s.send(strings.Replace(chunked(s.whole()), "\r\n", "\r\nContent-Length: 3\r\n", 1))
			}},
			fault{name: "no Content-Type", hit: func(s *strike) { s.send(chunked(s.whole())) }},
			fault{name: "Content-Type of HTML", hit: func(s *strike) {
				s.Header().Set("Content-Type", "text/html")
				s.say(200, string(plain(s)))
			}},
			fault{name: "charset that is not the one of the body", hit: func(s *strike) {
				text := plain(s)
				s.send(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-16\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
			}},
			fault{name: "a hundred kilobytes of headers", hit: func(s *strike) {
				whole := s.whole()
				text := whole.wire(len(whole.body))
				s.send(strings.Replace(text, "\r\n", "\r\n"+strings.Repeat("X-Header: "+strings.Repeat("x", 90)+"\r\n", 1000), 1))
			}},
		),
	)
}

// bodies are answers that arrived well, but are not what they should be.
func bodies() []fault {
	saying := func(text string) func(*strike) { return func(s *strike) { s.say(200, text) } }
	changed := func(change func(string) string) func(*strike) {
		return func(s *strike) { s.say(200, change(string(plain(s)))) }
	}
	return slices.Concat(
		with(fatal("anything but JSON: HTML, XML, half of it, two of it"),
			fault{name: "HTML", only: noLogin, says: "<html>", hit: saying("<!DOCTYPE html><html><body>Sign in</body></html>")},
			fault{name: "XML", only: noLogin, says: "<?xml", hit: saying("<?xml version=\"1.0\"?><rows/>")},
			fault{name: "text", says: "JSON", hit: saying("upstream is busy")},
			fault{name: "half of the JSON", body: 10, says: "JSON", hit: changed(func(text string) string { return text[:len(text)/2] })},
			fault{name: "JSON without its last byte", body: 10, says: "JSON", hit: changed(func(text string) string { return text[:len(text)-1] })},
			fault{name: "JSON twice", says: "JSON", hit: changed(func(text string) string { return text + text })},
			fault{name: "JSON and a warning of PHP", says: "JSON", hit: changed(func(text string) string { return text + "<br />Warning: x in y.php" })},
			fault{name: "JSONP", says: "JSON", hit: changed(func(text string) string { return "callback(" + text + ")" })},
			fault{name: "comment in JSON", says: "JSON", hit: changed(func(text string) string { return "/* rows */" + text })},
			fault{name: "single quotes", says: "JSON", hit: saying("[{'id': 1}]")},
			fault{name: "NaN", says: "JSON", hit: saying(`[{"id": NaN}]`)},
			fault{name: "comma at the end", says: "JSON", hit: saying(`[{"id": 1},]`)},
			fault{name: "control character in a text", says: "JSON", hit: saying("[{\"id\": \"a\x01b\"}]")},
			fault{name: "zero bytes", says: "JSON", hit: saying(strings.Repeat("\x00", 100))},
			fault{name: "nested a hundred thousand times", says: "JSON", hit: saying(strings.Repeat("[", 100000) + strings.Repeat("]", 100000))},
			fault{name: "objects nested twenty thousand times", says: "JSON", hit: saying(strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000))},
			fault{name: "compressed without saying so", says: "JSON", hit: changed(func(text string) string { return string(compressed([]byte(text))) })},
		),
		with(harmless("byte order mark, white space, escapes, UTF-16"),
			fault{name: "UTF-16", hit: changed(inUTF16)},
			fault{name: "byte order mark", hit: changed(func(text string) string { return "\ufeff" + text })},
			fault{name: "white space", hit: changed(func(text string) string { return " \r\n\t" + text + "\n\n" })},
			fault{name: "escapes that are not needed", hit: changed(escaped)},
		),
	)
}

func inUTF16(text string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// escaped writes everything beyond ASCII as \uXXXX.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// endless are bodies that never end, or are far larger than what was sent.
func endless() []fault {
	const limit = `{"http": {"maxResponseBytes": 200000}}`
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	bomb := compressed(append([]byte("["), bytes.Repeat([]byte(" "), 8<<20)...))
	common := func(f *fault) {
		fatal("endless body, or a body compressed a thousandfold")(f)
		f.settings, f.says = limit, "'api.http.maxResponseBytes'"
	}
	ignored := fault{name: "error of many megabytes that is to be ignored", only: noLogin, hit: func(s *strike) { s.say(403, string(bomb), "Content-Encoding: gzip") }}
	fatal("endless body, or a body compressed a thousandfold")(&ignored)
	ignored.settings, ignored.says = `{"http": {"ignoreErrors": [403]}}`, "'errorData'"
	return append(with(common,
		fault{name: "endless body", hit: func(s *strike) { s.endless(ok+"\r\n[", strings.Repeat("1,", 5000)) }},
		fault{name: "endless chunks", hit: func(s *strike) {
			s.endless(ok+"Transfer-Encoding: chunked\r\n\r\n", "2710\r\n"+strings.Repeat(" ", 10000)+"\r\n")
		}},
		fault{name: "endless text in the JSON", hit: func(s *strike) { s.endless(ok+"\r\n[\"", strings.Repeat("x", 10000)) }},
		fault{name: "announced terabyte", hit: func(s *strike) {
			s.endless(ok+"Content-Length: 1099511627776\r\n\r\n[", strings.Repeat("1,", 5000))
		}},
		fault{name: "gzip bomb", hit: func(s *strike) { s.say(200, string(bomb), "Content-Encoding: gzip") }},
		fault{name: "endless gzip", hit: func(s *strike) {
			s.endless(ok+"Content-Encoding: gzip\r\n\r\n", string(bomb))
		}},
		fault{name: "deflate bomb", hit: func(s *strike) { s.say(200, deflated(8<<20), "Content-Encoding: deflate") }},
		fault{name: "error that does not end", hit: func(s *strike) {
			s.endless("HTTP/1.1 403 Forbidden\r\n\r\n", strings.Repeat("no ", 5000))
		}},
	), ignored)
}

// deflated are so many blanks in a few bytes.
func deflated(n int) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	// A bytes.Buffer takes everything.
	_, _ = w.Write(bytes.Repeat([]byte(" "), n))
	_ = w.Close()
	return b.String()
}

// encodings are about the compression of a body.
func encodings() []fault {
	encoded := func(encoding string, change func([]byte) []byte) func(*strike) {
		return func(s *strike) { s.say(200, string(change(plain(s))), "Content-Encoding: "+encoding) }
	}
	itself := func(text []byte) []byte { return text }
	return slices.Concat(
		with(fatal("body that cannot be decompressed"),
			fault{name: "plain body called gzip", says: "network error 61", hit: encoded("gzip", itself)},
			fault{name: "plain body called deflate", says: "network error 61", hit: encoded("deflate", itself)},
			fault{name: "wrong checksum of gzip", says: "network error 61", hit: encoded("gzip", func(text []byte) []byte {
				b := compressed(text)
				b[len(b)-6] ^= 0xff
				return b
			})},
			fault{name: "damaged gzip", body: 2000, says: "network error 61", hit: encoded("gzip", func(text []byte) []byte {
				b := compressed(text)
				for i := 20; i < min(60, len(b)-8); i++ {
					b[i] = 0xff
				}
				return b
			})},
			fault{name: "rubbish after gzip", says: "network error 61", hit: encoded("gzip", func(text []byte) []byte { return append(compressed(text), "rubbish after it"...) })},
		),
		with(fatal("body with an unknown `Content-Encoding`, such as `br`"),
			fault{name: "brotli that no one requested", says: `Content-Encoding says "br"`, hit: encoded("br", func(text []byte) []byte { return []byte("\x0b\x02\x80" + "binary" + "\x03") })},
		),
		with(harmless("body compressed in another way than it was requested"),
			fault{name: "x-gzip", hit: encoded("x-gzip", compressed)},
			fault{name: "gzip in two parts", hit: encoded("gzip", func(text []byte) []byte {
				half := len(text) / 2
				return append(compressed(text[:half]), compressed(text[half:])...)
			})},
			fault{name: "identity", hit: encoded("identity", itself)},
		),
	)
}
