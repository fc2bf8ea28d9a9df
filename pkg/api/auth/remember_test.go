package auth

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const rotating = `{"type":"login","expires":0,"loginRequest":{"endpoint":"t","params":{"r":{"remembered":"#r","default":{"attr":"#r"}}},
	"remember":{"#r":{"response":"r"},"#made":{"function":"concat","args":["x-",{"response":"r"}]}}},"apiRequest":{"headers":{"X-Token":{"response":"t"}}}}`

// remembering starts a method with a state, and keeps what it stores at once.
func (w *world) remembering(t *testing.T, m Method, before string, change func(*env.Run)) (Authenticator, *[]string) {
	t.Helper()
	var r state.Remembered
	previous := testvalue.Parse(t, before)
	state.Open(previous, &r)
	memory := r.ForIteration("", []state.Name{{Name: "#r"}, {Name: "#made"}}, func(text string) { t.Error(text) })
	kept := &[]string{}
	e := w.env()
	e.Keep = func(_ context.Context, change func(value.Value) value.Value) {
		*kept = append(*kept, change(previous).JSON())
	}
	if change != nil {
		change(e)
	}
	return loggingIn(m.Start(e, memory), w.login), kept
}

// TestRemember: each login sends what the last one brought, and what has changed is
// stored before anything else happens.
func TestRemember(t *testing.T) {
	w := newWorld(t, `{"t":"t1","r":"refresh-1"}`, `{"t":"t2","r":"refresh-1"}`, `{"t":"t3"}`, `{"t":"t4","r":"refresh-4"}`)
	a, kept := w.remembering(t, mustCompile(t, rotating, `{"#r":"refresh-0"}`), `{"a":1.50}`, nil)
	for range 4 {
		authenticated(t, a, requestTo(t, "http://a.test/"))
	}
	var sent []string
	for _, login := range w.logins {
		sent = append(sent, login.Params.Field("r").Raw())
		if !login.Params.Field("r").Secret() {
			t.Error("the token is not a secret")
		}
	}
	if want := []string{"refresh-0", "refresh-1", "refresh-1", "refresh-1"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if want := []string{`{"a":1.50,"remembered":{"#r":"refresh-1","#made":"x-refresh-1"}}`, `{"a":1.50,"remembered":{"#r":"refresh-1","#made":"x-"}}`,
		`{"a":1.50,"remembered":{"#r":"refresh-4","#made":"x-refresh-4"}}`}; !slices.Equal(*kept, want) {
		t.Errorf("kept %q, want %q", *kept, want)
	}
	if shown := w.secrets.Mask("refresh-4 x-refresh-4"); shown != "[hidden] [hidden]" {
		t.Errorf("shows %s", shown)
	}
}

// TestRememberComesFirst: a response that cannot be used has replaced the old token all
// the same.
func TestRememberComesFirst(t *testing.T) {
	for name, response := range map[string]string{
		"no token":      `{"r":"refresh-1"}`,
		"expired":       `{"t":"t1","r":"refresh-1","ttl":-5}`,
		"broken member": `{"t":"t1","r":"refresh-1","made":"{"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, response)
			m := mustCompile(t, `{"type":"login","expires":{"response":"ttl","relative":true},"loginRequest":{"endpoint":"t",
				"remember":{"#broken":{"function":"json_decode","args":[{"response":"made","default":"1"}]},"#r":{"response":"r"}}},
				"apiRequest":{"headers":{"X-Token":{"response":"t"}}}}`, `{}`)
			a, kept := w.remembering(t, m, `null`, nil)
			if err := a.Authenticate(t.Context(), requestTo(t, "http://a.test/")); err == nil || strings.Contains(err.Error(), "refresh-1") {
				t.Errorf("got %v", err)
			}
			if len(*kept) != 1 || !strings.Contains((*kept)[0], `"#r":"refresh-1"`) {
				t.Errorf("kept %q", *kept)
			}
		})
	}
}

// TestReplayRemembersNothing: a recording has no credentials.
func TestReplayRemembersNothing(t *testing.T) {
	w := newWorld(t, `{"t":"t1","r":"[hidden]"}`)
	a, kept := w.remembering(t, mustCompile(t, rotating, `{"#r":"refresh-0"}`), `null`, func(e *env.Run) { e.Player = &har.Player{} })
	for range 2 {
		authenticated(t, a, requestTo(t, "http://a.test/"))
	}
	if got := w.logins[1].Params.Field("r").Raw(); got != "refresh-0" || len(*kept) > 0 {
		t.Errorf("sent %s, kept %q", got, *kept)
	}
}

// TestRememberedNames: the names of a method without a login, and of one with.
func TestRememberedNames(t *testing.T) {
	if names := Remembered(mustCompile(t, `{"type":"basic"}`, `{"username":"u","#password":"p"}`)); names != nil {
		t.Errorf("got %v", names)
	}
	names := Remembered(mustCompile(t, rotating, `{"#r":"x"}`))
	if len(names) != 2 || names[0] != (RememberedName{"#r", "/parameters/api/authentication/loginRequest/remember/#r"}) {
		t.Errorf("got %v", names)
	}
}

func TestRememberProblems(t *testing.T) {
	const at = "/parameters/api/authentication/loginRequest/remember"
	for remember, want := range map[string]string{
		`{"r":{"response":"r"}}`:                    at + `/r: expected a name with a hash sign, because what a login returns is a secret and the state would show it, found an object; write "#r"`,
		`{"#":{"response":"r"}}`:                    at + `/#: expected a name with a hash sign, because what a login returns is a secret and the state would show it, found an object; write "#token"`,
		`{"#r":{"literal":"r"}}`:                    at + `/#r: expected an expression of the login's response, such as {"response": "PATH"}`,
		`{"#r":{"respons":"r"}}`:                    at + `/#r: expected an expression of the login's response, such as {"response": "PATH"}`,
		`{"#r":{"function":"concat","args":["a"]}}`: ``,
		`{"#r":{"response":7}}`:                     ``,
		`{"#r":{"function":"nope"}}`:                at + `/#r/function: expected the name of a function, found "nope"`,
		`{"#r":{"attr":"nope"}}`:                    at + `/#r/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		`{"#r":{"placeholder":"x"}}`:                at + `/#r: expected an expression of the login's response, such as {"response": "PATH"}`,
		`{"#a":{"responseHeader":"X","default":1}}`: ``,
		`{"#a":{"responseCookie":"sid"}}`:           ``,
	} {
		t.Run(remember, func(t *testing.T) {
			_, problems := compile(t, `{"type":"login","loginRequest":{"endpoint":"t","remember":`+remember+`}}`, `{}`)
			got := ""
			for _, p := range problems {
				got += p.String()
			}
			if want == "" && got != "" || !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
