package exchange

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/pkg/config"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// sshServer is `sshProxy`: the SSH server that every connection goes through.
type sshServer struct {
	pointer string
	address string // host:port
	client  *ssh.ClientConfig
	timeout time.Duration // of making a connection, and of one through the tunnel
}

// compileServer reads the section `sshProxy`. Missing keys are problems already.
func compileServer(s config.Section, timeout time.Duration) *sshServer {
	if s.Value.IsNull() {
		return nil
	}
	port := s.Int("port", 0)
	if p := s.Get("port"); !p.Value.IsNull() && (port < 1 || port > 65535) {
		p.Problem("expected a port from 1 to 65535", "")
	}
	client := &ssh.ClientConfig{
		User: s.Text("user", ""),
		// The original does not ask who the server is, and configurations have
		// no place for the answer unless their author adds `hostKey`.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	}
	if key := compileKey(s.Get("#privateKey")); key != nil {
		client.Auth = []ssh.AuthMethod{ssh.PublicKeys(key)}
	}
	if key := compileHostKey(s.Get("hostKey")); key != nil {
		client.HostKeyCallback = ssh.FixedHostKey(key)
		client.HostKeyAlgorithms = hostKeyAlgorithms(key)
	}
	return &sshServer{
		pointer: s.Pointer,
		address: net.JoinHostPort(s.Text("host", ""), strconv.Itoa(port)),
		client:  client,
		timeout: timeout,
	}
}

// compileKey reads the private key, nil when it cannot be used.
func compileKey(s config.Section) ssh.Signer {
	text := s.Value.Raw()
	if text == "" {
		return nil
	}
	key, err := ssh.ParsePrivateKey([]byte(text))
	if err == nil {
		return key
	}
	var hint failure.Text
	if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked || strings.Contains(text, "-----BEGIN ENCRYPTED PRIVATE KEY-----") {
		hint = "it has a passphrase, remove it"
	}
	s.Fault(failure.InvalidCertificate, "expected a private key in PEM form", hint)
	return nil
}

// compileHostKey reads the server's public key, nil when none is given.
func compileHostKey(s config.Section) ssh.PublicKey {
	if !s.Present() {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(s.Value.Raw()))
	if err != nil {
		s.Fault(failure.InvalidCertificate, "expected the public key of the SSH server, like \"ssh-ed25519 AAAA…\"", "ssh-keyscan shows it")
		return nil
	}
	return key
}

// hostKeyAlgorithms are those that make a server show its key of this type.
func hostKeyAlgorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}
