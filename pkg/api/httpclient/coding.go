package httpclient

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// maxCodings is the maximum number of codings of a body, one inside the other.
const maxCodings = 4

// noCodings are values of Content-Encoding that leave a body unchanged. Servers confuse
// the header with Content-Type and Content-Transfer-Encoding. Object stores return
// aws-chunked, which described an upload.
var noCodings = []string{"", "identity", "none", "binary", "7bit", "8bit", "aws-chunked"}

// codingsOf returns the codings of a body in the order of encoding. If a coding is
// unknown or there are too many codings, it returns only unknown, with their names.
func codingsOf(h http.Header) (codings []string, unknown string) {
	for _, line := range headerLines(h, "Content-Encoding") {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch {
			case slices.Contains(noCodings, name), response.IsCharset(name):
			case decoderOf(name) == nil:
				return nil, name
			default:
				codings = append(codings, name)
			}
		}
	}
	if len(codings) > maxCodings {
		return nil, strings.Join(codings, ", ")
	}
	return codings, ""
}

func unknownCoding(h http.Header) string {
	_, unknown := codingsOf(h)
	return unknown
}

// decompress decodes the Content-Encoding. A body with an unknown coding stays unchanged.
// An empty body is not encoded.
func decompress(res *http.Response) (io.Reader, error) {
	codings, _ := codingsOf(res.Header)
	if len(codings) == 0 {
		return res.Body, nil
	}
	body := bufio.NewReader(res.Body)
	if _, err := body.Peek(1); err == io.EOF {
		return body, nil
	}
	var decoded io.Reader = body
	for _, name := range slices.Backward(codings) {
		var err error
		if decoded, err = decoderOf(name)(bufio.NewReader(decoded)); err != nil {
			return nil, err
		}
	}
	return decoded, nil
}

// decoderOf returns the decoder of a coding, or nil for an unknown coding.
//
// To add a content coding, add a case here, a row to send_test.go, and the name to the error
// in pkg/api/response/spool.go, to docs/how-to/formats.md and to docs/understand/faults.md.
// Requests accept only gzip, see builtin in build.go.
func decoderOf(name string) func(*bufio.Reader) (io.Reader, error) {
	switch name {
	case "gzip", "x-gzip":
		return func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		return inflate
	case "zstd":
		return decodeZstd
	default:
		return nil
	}
}

// inflate decodes deflate. Some servers omit the zlib header.
func inflate(r *bufio.Reader) (io.Reader, error) {
	head, _ := r.Peek(2) // the next read returns the error again
	if len(head) == 2 && (uint(head[0])<<8|uint(head[1]))%31 == 0 && head[0]&15 == 8 {
		z, err := zlib.NewReader(r)
		return &exactReader{z, r}, err
	}
	return &exactReader{flate.NewReader(r), r}, nil
}

// exactReader is a reader that fails if bytes follow the encoded text, because they may be
// data.
type exactReader struct {
	decoded io.Reader
	rest    *bufio.Reader
}

var errTrailingBytes = errors.New("there are bytes after its end")

func (r *exactReader) Read(p []byte) (int, error) {
	n, err := r.decoded.Read(p)
	if err == io.EOF {
		switch _, behind := r.rest.Peek(1); behind {
		case io.EOF:
		case nil:
			err = errTrailingBytes
		default:
			err = behind
		}
	}
	return n, err
}

// zstdWindow is the maximum window of the coding, in bytes (RFC 9659).
const zstdWindow = 8 << 20

// decodeZstd decodes zstd. Its decoder needs no Close, because it starts no goroutine.
func decodeZstd(r *bufio.Reader) (io.Reader, error) {
	source := &errorKeeper{Reader: r}
	z, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return &zstdReader{z, source}, nil
}

// errorKeeper is a reader that keeps its last error.
type errorKeeper struct {
	io.Reader
	err error
}

func (r *errorKeeper) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.err = err
	return n, err
}

// zstdReader distinguishes errors in the coding from errors of the connection.
type zstdReader struct {
	decoder *zstd.Decoder
	source  *errorKeeper
}

// codingError is an error in encoded bytes.
type codingError struct{ error }

func (r *zstdReader) Read(p []byte) (int, error) {
	n, err := r.decoder.Read(p)
	switch {
	case err == nil, err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return n, err
	case r.source.err != nil && r.source.err != io.EOF:
		return n, r.source.err
	default:
		return n, codingError{err}
	}
}
