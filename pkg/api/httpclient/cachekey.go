package httpclient

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// cacheKeys computes the keys of responses in the cache. The key ensures that an account
// gets only its own responses.
//
// A key is a hash of the URL and of the account. The account is the settings of the
// authentication (without tokens and signatures made from them, which change), the AWS
// signature and certificate, user and password in the URL, parameters that are secrets,
// and the configured headers. The hash of the account is slow to compute, because keys
// are file names and must not help to guess a password. Without an account the key is a
// hash of the URL alone.
type cacheKeys struct {
	account   []string // the account of all requests of a client that may have credentials
	userAgent string

	mu    sync.Mutex
	known map[[sha256.Size]byte]string // slow hashes of accounts by their fast hashes
}

func newCacheKeys(o *Options) *cacheKeys {
	k := &cacheKeys{userAgent: o.UserAgent, known: map[[sha256.Size]byte]string{}}
	if o.Identity != "" {
		k.account = append(k.account, "authentication", o.Identity)
	}
	if s := o.Settings.signature; s != nil {
		k.account = append(k.account, "aws", s.keyID, s.secret, s.service, s.region)
	}
	if c := o.Settings.certificate; c != nil {
		for _, der := range c.Certificate {
			k.account = append(k.account, "certificate", string(der))
		}
	}
	return k
}

// of returns the key of a request.
func (k *cacheKeys) of(x *call) (string, error) {
	account := k.headers(x.Built)
	if !x.Anonymous {
		account = slices.Concat(k.account, account)
	}
	address := *x.URL
	if address.User != nil {
		account = append(account, "user", address.User.String())
		address.User = nil
	}
	var open []string
	for pair := range strings.SplitSeq(address.RawQuery, "&") {
		if x.Sensitive.Pair(pair) {
			account = append(account, "parameter", pair)
		} else {
			open = append(open, pair)
		}
	}
	address.RawQuery = strings.Join(open, "&")
	text := x.Method + " " + address.String()
	if len(account) > 0 {
		who, err := k.slow(account)
		if err != nil {
			return "", err
		}
		text += "\n" + who
	}
	key := sha256.Sum256([]byte(text))
	return hex.EncodeToString(key[:]), nil
}

// headers returns the configured headers of a request, sorted by name. It leaves out
// Cache-Control, which controls the cache itself.
func (k *cacheKeys) headers(built *request.Request) []string {
	var names []string
	for name, texts := range built.Header {
		ours := slices.ContainsFunc(builtin(k.userAgent, ""), func(h config.Header) bool { return h.Name == name && slices.Equal(h.Values, texts) })
		if !ours && !strings.EqualFold(name, "Cache-Control") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		all = append(all, "header", strings.ToLower(name), fmt.Sprintf("%q", built.Header[name]))
	}
	if built.Host != built.URL.Host {
		all = append(all, "host", built.Host)
	}
	return all
}

const (
	// slowRounds is the number of PBKDF2 rounds. They take about 20 ms, once for each
	// account.
	slowRounds = 100_000
	// knownAccounts is the maximum number of hashes in memory. With a signature in the
	// query each request has another account.
	knownAccounts = 1000
)

// slow returns a hash of an account that is slow to compute, so that guessing is too
// slow.
func (k *cacheKeys) slow(account []string) (string, error) {
	text := fmt.Sprintf("%q", account)
	fast := sha256.Sum256([]byte(text))
	k.mu.Lock()
	defer k.mu.Unlock()
	if hash, ok := k.known[fast]; ok {
		return hash, nil
	}
	hash, err := pbkdf2.Key(sha256.New, text, []byte("configurable-extractor cache"), slowRounds, sha256.Size)
	if err != nil {
		return "", failure.Applicationf("cannot make the key of the cache: %w", err)
	}
	if len(k.known) == knownAccounts {
		clear(k.known)
	}
	k.known[fast] = hex.EncodeToString(hash)
	return k.known[fast], nil
}
