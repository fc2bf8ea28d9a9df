package example

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const (
	maxResponse  = 32 << 20    // maximum size of a response, in bytes
	fetchTimeout = time.Minute // timeout of the whole exchange
	// maxRedirects is the limit of net/http.
	maxRedirects = 10
)

// Options are the options of Fetch.
type Options struct {
	UserAgent string
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error) // nil uses the network
}

// Fetch sends a request once and returns its response, regardless of the status. It
// follows redirects only within one origin, because the credentials belong to it. It
// returns a user error if there is no response or if the response is larger than 32 MiB.
func Fetch(ctx context.Context, r Request, o Options) (Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Exchange{}, failure.Userf("the request cannot be made of the example: its method or its address is not valid")
	}
	request.Header = r.Header.Clone()
	for name, text := range map[string]string{"User-Agent": o.UserAgent, "Accept": "application/json"} {
		if request.Header.Get(name) == "" {
			request.Header.Set(name, text)
		}
	}
	request.Header.Del("Accept-Encoding") // net/http decompresses only if it sets the header itself
	response, err := client(r, o).Do(request)
	if err != nil {
		return Exchange{}, failure.Userf("no response from %s: %w", request.URL.Host, cause(err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return Exchange{}, failure.Userf("the response of %s broke off: %w", request.URL.Host, cause(err))
	}
	if len(body) > maxResponse {
		return Exchange{}, failure.Userf("the response of %s is larger than %d MiB; request a smaller page", request.URL.Host, maxResponse>>20)
	}
	return Exchange{Request: r, Status: response.StatusCode, ResponseHeader: response.Header, Response: body}, nil
}

func client(r Request, o Options) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:             http.ProxyFromEnvironment,
			DialContext:       o.Dial,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: r.Insecure},
			ForceAttemptHTTP2: true,
			DisableKeepAlives: true,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if from := before[0].URL; next.URL.Host != from.Host || next.URL.Scheme != from.Scheme {
				return fmt.Errorf("it redirects to %s://%s, where the credentials do not belong; give that address if it is right", next.URL.Scheme, next.URL.Host)
			}
			if len(before) >= maxRedirects {
				return errors.New("it redirects again and again")
			}
			return nil
		},
	}
}

// cause returns the cause of an error of net/http. The outer error shows the URL, which
// may have credentials.
func cause(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
