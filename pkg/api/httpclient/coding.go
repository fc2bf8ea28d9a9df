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

// noCodings are values of Content-Encoding that leave a body as it is: servers confuse
// the header with Content-Type and Content-Transfer-Encoding, and stores return
// aws-chunked, which described an upload.
var noCodings = []string{"", "identity", "none", "binary", "7bit", "8bit", "aws-chunked"}

// codingsOf returns the codings of a body in the order in which they were applied. If one
// of them is unknown, or if there are too many, it returns no codings but their name.
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

// unknownCoding returns the coding of a response that cannot be undone, "" for none.
func unknownCoding(h http.Header) string {
	_, unknown := codingsOf(h)
	return unknown
}

// decompress decodes the Content-Encoding, unless that is unknown. An empty body is not
// encoded.
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

// decoderOf returns the function that undoes a coding, nil for an unknown coding.
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

// inflate decodes deflate. Some servers omit the frame of zlib.
func inflate(r *bufio.Reader) (io.Reader, error) {
	head, _ := r.Peek(2) // an error comes again
	if len(head) == 2 && (uint(head[0])<<8|uint(head[1]))%31 == 0 && head[0]&15 == 8 {
		z, err := zlib.NewReader(r)
		return &toTheEnd{z, r}, err
	}
	return &toTheEnd{flate.NewReader(r), r}, nil
}

// toTheEnd refuses bytes after the decoded ones: they may be data.
type toTheEnd struct {
	decoded io.Reader
	rest    *bufio.Reader
}

var errTrailingBytes = errors.New("there are bytes after its end")

func (r *toTheEnd) Read(p []byte) (int, error) {
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

// zstdWindow is the maximum window of the coding (RFC 9659).
const zstdWindow = 8 << 20

// decodeZstd decodes zstd. The decoder has no goroutine that would have to be stopped.
func decodeZstd(r *bufio.Reader) (io.Reader, error) {
	source := &remembering{Reader: r}
	z, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return &zstdReader{z, source}, nil
}

// remembering keeps the error of a reader.
type remembering struct {
	io.Reader
	err error
}

func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.err = err
	return n, err
}

// zstdReader distinguishes errors in the coding from errors of the connection.
type zstdReader struct {
	decoder *zstd.Decoder
	source  *remembering
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
