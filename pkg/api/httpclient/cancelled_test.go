package httpclient

import (
	"context"
	"fmt"
	"testing"
)

// TestCancelledByAnother: net/http may return the cancellation of another request, which had
// the connection before. That is an error of the network, which is retried by default.
func TestCancelledByAnother(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		code int
	}{{t.Context(), codeReceive}, {ended, codeUnknown}} {
		err, ok := networkErrorOf(tt.ctx, fmt.Errorf("from the transport: %w", context.Canceled), false).(*networkError)
		if !ok || err.code != tt.code {
			t.Errorf("got %v, want code %d (context: %v)", err, tt.code, tt.ctx.Err())
		}
	}
}
