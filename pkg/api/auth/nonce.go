package auth

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
)

// nonce is a text no one has used before, of two hexadecimal digits for each
// random byte.
func (d deps) nonce(bytes int) (string, error) {
	source := d.Rand
	if source == nil {
		source = rand.Reader
	}
	b := make([]byte, bytes)
	if _, err := io.ReadFull(source, b); err != nil {
		return "", fmt.Errorf("no random bytes for the authentication: %w", err)
	}
	return hex.EncodeToString(b), nil
}
