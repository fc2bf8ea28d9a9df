package platform_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

var (
	ofConfiguration = platform.StateLocation{Component: "acme.ex", Configuration: "12"}
	ofRow           = platform.StateLocation{Branch: "5", Component: "acme.ex", Configuration: "12", Row: "7"}
)

const rowInBranch = storage + "/v2/storage/branch/5/components/acme.ex/configs/12/rows/7"

func TestState(t *testing.T) {
	for name, tc := range map[string]struct {
		place         platform.StateLocation
		address, body string
		want          string
	}{
		"of a configuration": {ofConfiguration, configs + "/12", `{"id":"12","state":{"component":{"#a":"KBC::x","n":1.50},"other":{}}}`,
			`{"component":{"#a":"KBC::x","n":1.50},"other":{}}`},
		"of a row in a branch": {ofRow, rowInBranch, `{"id":"7","state":{"component":{}}}`, `{"component":{}}`},
		"an empty one":         {ofConfiguration, configs + "/12", `{"id":"12","state":[]}`, `{}`},
		"none":                 {ofConfiguration, configs + "/12", `{"id":"12"}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mocked(t, map[string]response{"GET " + tc.address: {200, tc.body, ""}})
			got, err := c.State(context.Background(), tc.place)
			if err != nil || got.JSON() != tc.want {
				t.Errorf("got %s, %v", got.JSON(), err)
			}
		})
	}
}

func TestSetState(t *testing.T) {
	for name, tc := range map[string]struct {
		place   platform.StateLocation
		address string
	}{
		"of a configuration":   {ofConfiguration, configs + "/12/state"},
		"of a row in a branch": {ofRow, rowInBranch + "/state"},
	} {
		t.Run(name, func(t *testing.T) {
			c, transport := mocked(t, nil)
			body := recorded(transport, "PUT", tc.address, "application/json", `{"id":"12","state":{}}`)
			if err := c.SetState(context.Background(), tc.place, parsed(t, `{"z":{"n":1.50},"#a":"KBC::<é"}`)); err != nil {
				t.Fatal(err)
			}
			if want := `{"state":{"z":{"n":1.50},"#a":"KBC::<é"}}`; *body != want {
				t.Errorf("sent %s\nwant %s", *body, want)
			}
		})
	}
}

// TestStatesAreRepeated: a state may be stored twice.
func TestStatesAreRepeated(t *testing.T) {
	c, transport := mocked(t, map[string]response{"PUT " + configs + "/12/state": {503, `{"error":"busy"}`, ""}})
	err := c.SetState(context.Background(), ofConfiguration, value.OfMembers())
	if want := "PUT " + configs + "/12/state: 503 Service Unavailable: busy"; text(err) != want || transport.GetTotalCallCount() != 6 {
		t.Errorf("%d requests, %v", transport.GetTotalCallCount(), err)
	}
	c, transport = mocked(t, map[string]response{"PUT " + configs + "/12/state": {403, `{"error":"no"}`, ""}})
	if err := c.SetState(context.Background(), ofConfiguration, value.OfMembers()); err == nil || transport.GetTotalCallCount() != 1 {
		t.Errorf("%d requests, %v", transport.GetTotalCallCount(), err)
	}
}

const encryption = "https://encryption.example.com"

// encrypted is a client of an encryption service that returns this response.
func encrypted(t *testing.T, give string) (c *platform.Client, asked *[]string) {
	t.Helper()
	c, transport := mocked(t, map[string]response{index: {200, `{"services":[{"id":"encryption","url":"` + encryption + `/"}]}`, ""}})
	asked = new([]string)
	transport.RegisterResponder("POST", encryption+"/encrypt", func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-StorageApi-Token") != "" {
			return nil, fmt.Errorf("header %v", r.Header)
		}
		*asked = append(*asked, r.URL.RawQuery+" "+string(body))
		response := httpmock.NewStringResponse(200, give)
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	})
	return c, asked
}

func TestEncrypt(t *testing.T) {
	const document = `{"z":1.50,"#a":"x","l":[{"#b":1.50,"#c":"KBC::old"}],"#d":{"e":"plain","#f":true},"#g":null}`
	const ask = `{"#0":"x","#1":1.50,"#2":true}`
	for name, tc := range map[string]struct {
		scope             platform.CipherScope
		give, asked, want string
	}{
		"for a configuration": {platform.CipherScope{Component: "acme.ex", Project: "1", Configuration: "12"}, `{"#0":"KBC::A","#1":"KBC::B","#2":"KBC::C"}`,
			`componentId=acme.ex&configId=12&projectId=1 ` + ask, `{"z":1.50,"#a":"KBC::A","l":[{"#b":"KBC::B","#c":"KBC::old"}],"#d":{"e":"plain","#f":"KBC::C"},"#g":null}`},
		"for a component": {platform.CipherScope{Component: "acme.ex", Project: "1"}, `{"#2":"KBC::C","#1":"KBC::B","#0":"KBC::A"}`,
			`componentId=acme.ex&projectId=1 ` + ask, `{"z":1.50,"#a":"KBC::A","l":[{"#b":"KBC::B","#c":"KBC::old"}],"#d":{"e":"plain","#f":"KBC::C"},"#g":null}`},
		"plain text": {platform.CipherScope{}, `{"#0":"KBC::A","#1":"1.50","#2":"KBC::C"}`, "", "the response lacks a cipher"},
		"no text":    {platform.CipherScope{}, `{"#0":"KBC::A","#1":{"#1":"KBC::B"},"#2":"KBC::C"}`, "", "the response lacks a cipher"},
		"nothing":    {platform.CipherScope{}, `{}`, "", "the response lacks a cipher"},
		"a list":     {platform.CipherScope{}, `[]`, "", "the response is not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			c, asked := encrypted(t, tc.give)
			got, err := c.Encrypt(context.Background(), tc.scope, parsed(t, document))
			if tc.asked == "" {
				if want := "POST " + encryption + "/encrypt: 200 OK: " + tc.want; text(err) != want {
					t.Errorf("got %v, want %s", err, want)
				}
				return
			}
			if err != nil || got.JSON() != tc.want || len(*asked) != 1 || (*asked)[0] != tc.asked {
				t.Errorf("got %s, %v, asked %q", got.JSON(), err, *asked)
			}
		})
	}
}

func TestNothingToEncrypt(t *testing.T) {
	c, transport := mocked(t, nil)
	const document = `{"a":"x","#b":"KBC::ProjectSecure::x"}`
	if got, err := c.Encrypt(context.Background(), platform.CipherScope{}, parsed(t, document)); err != nil || got.JSON() != document || transport.GetTotalCallCount() != 0 {
		t.Errorf("got %s, %v", got.JSON(), err)
	}
}

func TestEncryptWithoutAService(t *testing.T) {
	c, _ := mocked(t, map[string]response{index: {200, services, ""}})
	_, err := c.Encrypt(context.Background(), platform.CipherScope{}, parsed(t, `{"#a":"x"}`))
	var failed *platform.Error
	if !errors.As(err, &failed) || failed.Message != "the index names no usable address of the service encryption" {
		t.Errorf("got %v", err)
	}
}

func parsed(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
