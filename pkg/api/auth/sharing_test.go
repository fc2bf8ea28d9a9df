package auth

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// Requests that wait for a login fail with it, unless it was only broken off:
// then one of them logs in.
func TestWaitingForALoginOfAnotherRequest(t *testing.T) {
	refused := errors.New("wrong password")
	for _, tt := range []struct {
		name           string
		breaksOff      bool
		logins, failed int
	}{
		{"it fails", false, 1, 4},
		{"it is broken off", true, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, tokensOf(2)...)
				first, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				end := make(chan error)
				logins := 0
				login := func(ctx context.Context, r config.RequestSpec) (LoginResponse, error) {
					if logins++; logins == 1 {
						return LoginResponse{}, <-end
					}
					return w.login(ctx, r)
				}
				a := w.startWith(mustCompile(t, loginWith(tokenLogin), `{}`), login)
				var mu sync.Mutex
				failed := 0
				send := func(ctx context.Context) {
					if err := a.Authenticate(ctx, requestTo(t, "http://a.test/")); err != nil {
						mu.Lock()
						defer mu.Unlock()
						failed++
					}
				}
				go send(first)
				synctest.Wait()
				for range 3 {
					go send(t.Context())
				}
				synctest.Wait()
				if tt.breaksOff {
					interrupt()
				}
				end <- refused
				synctest.Wait()
				if logins != tt.logins || failed != tt.failed {
					t.Errorf("%d logins and %d failed requests, want %d and %d", logins, failed, tt.logins, tt.failed)
				}
			})
		})
	}
}

// Who waits for the login of another request does not wait longer than its own
// context allows.
func TestWaitingForALoginEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		end := make(chan struct{})
		login := func(context.Context, config.RequestSpec) (LoginResponse, error) {
			<-end
			return LoginResponse{}, errors.New("too late")
		}
		a := w.startWith(mustCompile(t, loginWith(tokenLogin), `{}`), login)
		done := make(chan error, 2)
		go func() { done <- a.Authenticate(t.Context(), requestTo(t, "http://a.test/")) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { done <- a.Authenticate(ctx, requestTo(t, "http://a.test/")) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("got %v", err)
		}
		close(end)
		<-done
	})
}
