package httpclient

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// sshServer is the SSH server of `sshProxy`. All connections go through it.
type sshServer struct {
	pointer string
	address string // host:port
	client  *ssh.ClientConfig
	timeout time.Duration // limit for connecting to the server, and through the tunnel
}

// SSHProxy is the section `sshProxy`.
var (
	SSHProxy = field.Of("sshProxy", "SSH tunnel", "Sends every request through an SSH server.", sshType)
	sshType  = &field.Type{Name: "sshProxy", Title: "SSH tunnel", Kinds: []string{"object"}, NotEmpty: []string{"object"}, Fields: field.Fields(sshHost, sshPort, sshUser, sshKey, sshHostKey),
		Doc: "Every request, including logins, is sent through this SSH server. The server resolves host names."}
	sshHost    = field.Text("host", "Host", "Name or address of the SSH server.").Example(`"bastion.example.com"`).Must()
	sshPort    = field.Integer("port", "Port", "Port of the SSH server.").Example(`22`).Must()
	sshUser    = field.Text("user", "User", "User name at the SSH server.").Example(`"extractor"`).Must()
	sshKey     = field.Text("#privateKey", "Private key", "The private key of the user without a passphrase, in PEM form.").Example(`"-----BEGIN OPENSSH PRIVATE KEY-----…"`).Must()
	sshHostKey = field.Text("hostKey", "Host key", "The public key of the SSH server, a line as `ssh-keyscan` shows it. Any other server is refused then; without it, any server that answers is trusted.").Example(`"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5…"`)
)

// compileServer reads the section `sshProxy`. Missing keys are already reported.
func compileServer(s config.Section, timeout time.Duration) *sshServer {
	if s.Value.IsNull() {
		return nil
	}
	port := sshPort.Of(s)
	if p := sshPort.In(s); !p.Value.IsNull() && (port < 1 || port > 65535) {
		p.Problem("expected a port from 1 to 65535", "")
	}
	client := &ssh.ClientConfig{
		User: sshUser.Of(s),
		// The original extractor does not check the server. `hostKey` changes that.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	}
	if key := compileKey(sshKey.In(s)); key != nil {
		client.Auth = []ssh.AuthMethod{ssh.PublicKeys(key)}
	}
	if key := compileHostKey(sshHostKey.In(s)); key != nil {
		client.HostKeyCallback = ssh.FixedHostKey(key)
		client.HostKeyAlgorithms = hostKeyAlgorithms(key)
	}
	return &sshServer{
		pointer: s.Pointer,
		address: net.JoinHostPort(sshHost.Of(s), strconv.Itoa(port)),
		client:  client,
		timeout: timeout,
	}
}

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

// hostKeyAlgorithms returns the algorithms that make a server send a key of the same
// type.
func hostKeyAlgorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}
