package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/platform/control"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// start is when the clock of a test begins.
var start = time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)

var anyPort = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// session does what a reader of a document does: it saves the configurations
// and runs the commands, but in this process, below a directory of the test and
// by a clock of its own. What it shows instead is only what differs from
// machine to machine: the directory and the port.
type session struct {
	t     *testing.T
	root  string // stands for the directory that the document works in
	inDoc string // name of that directory in the document
	clock *clock.Clock
	shop  string // host:port of the running sample API, "" before it runs
	local string // likewise of the local platform
	// exported says that the document has set where the platform is.
	exported bool
	output   bytes.Buffer
}

// follow walks through a document: files are saved, shell blocks are run, and a
// block of output that follows one is compared with what was printed; one that is a
// `part` shows some lines of it. Commands that are run elsewhere are passed over.
func follow(t *testing.T, path, dir string, elsewhere ...string) {
	t.Helper()
	d := readDocument(t, path)
	s := &session{t: t, root: t.TempDir(), inDoc: dir, clock: clock.At(start)}
	printed, passed := false, map[string]bool{}
	for i, b := range d.blocks {
		switch {
		case b.attrs["file"] != "":
			s.save(b.attrs["file"], b.text)
			printed = false
		case b.lang == "sh":
			s.output.Reset()
			printed = true
			for _, command := range commands(b.text) {
				if slices.Contains(elsewhere, command) {
					printed, passed[command] = false, true
					continue
				}
				if err := s.run(command, b.attrs["exit"]); err != nil {
					t.Fatalf("%s:%d: %s: %v\n%s", path, b.line, command, err, &s.output)
				}
			}
		case !printed:
			t.Errorf("%s:%d: a block that is neither a file, nor a command, nor the output of one", path, b.line)
		default:
			got := s.printed()
			_, part := b.attrs["part"]
			switch {
			case part:
				for _, line := range missing(got, b.text) {
					t.Errorf("%s:%d: the command did not print, or not in this order, the line\n%sit printed\n%s", path, b.line, line, got)
				}
			case golden.Update(t):
				d.blocks[i].text = got
			case got != b.text:
				t.Errorf("%s:%d: the document shows\n%s\nthe command printed\n%s", path, b.line, b.text, got)
			}
			printed = false
		}
	}
	for _, command := range elsewhere {
		if !passed[command] {
			t.Errorf("%s: the command is gone: %s", path, command)
		}
	}
	if golden.Update(t) {
		d.write(t)
	}
}

// missing are the lines of a part that a text does not have, in their order.
func missing(text, part string) (lines []string) {
	for line := range strings.Lines(part) {
		_, rest, found := strings.Cut("\n"+text, "\n"+line)
		if !found {
			lines = append(lines, line)
			continue
		}
		text = rest
	}
	return lines
}

// commands are the command lines of a block; one that continues after a line has
// ended, in quotes or after a backslash, is one command.
func commands(block string) []string {
	var all []string
	command := ""
	for line := range strings.Lines(block) {
		command += line
		if strings.HasSuffix(line, "\\\n") || strings.Count(command, "'")%2 == 1 {
			continue
		}
		all = append(all, strings.TrimSpace(command))
		command = ""
	}
	return all
}

// printed is what the last commands printed, as the document shows it.
func (s *session) printed() string {
	text := strings.ReplaceAll(s.output.String(), s.root, s.inDoc)
	return strings.TrimSuffix(text, "\n") + "\n"
}

// path is where a file of the document really is.
func (s *session) path(name string) (string, error) {
	rest, ok := strings.CutPrefix(name, s.inDoc)
	if !ok || rest != "" && rest[0] != '/' {
		return "", fmt.Errorf("the document works in %s, not in %s", s.inDoc, name)
	}
	return s.root + rest, nil
}

func (s *session) save(name, text string) {
	s.t.Helper()
	path, err := s.path(name)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run runs one command line; exit is the exit code that it must end with, ""
// for 0.
func (s *session) run(command, exit string) error {
	want, err := strconv.Atoi("0" + exit)
	if err != nil {
		return err
	}
	code := 0
	if args, is := strings.CutPrefix(command, "extractor "); is { // as it is installed
		command = "go run ./cmd/extractor " + args
	}
	switch words := strings.Fields(command); {
	case strings.HasPrefix(command, "go run ./cmd/extractor init "):
		code, err = s.init(command)
	case strings.HasPrefix(command, "go run ./cmd/extractor config push "):
		err = s.push(words[5:])
	case strings.HasPrefix(command, "go run ./cmd/extractor job run "):
		code, err = s.job(words[5:])
	case words[0] == "export":
		err = s.export(words[1:])
	case strings.HasPrefix(command, "go run ./cmd/extractor "):
		args := words[3:]
		if args[0] == "run" {
			args = args[1:]
		}
		code, err = s.extractor(args)
	case command == "go run ./cmd/devstack sample-api":
		s.sampleAPI()
	case command == "go run ./cmd/devstack serve":
		err = s.serve()
	case strings.HasPrefix(command, "curl -s ") || strings.HasPrefix(command, "until curl -s "):
		err = s.shell(command)
	case command == "go run ./cmd/devstack demo":
		code, err = s.demo()
	case len(words) == 2 && words[0] == "sleep":
		var seconds int
		if seconds, err = strconv.Atoi(words[1]); err == nil {
			s.clock.Advance(time.Duration(seconds) * time.Second)
		}
	case len(words) == 3 && words[0] == "mkdir" && words[1] == "-p":
		var path string
		if path, err = s.path(words[2]); err == nil {
			err = os.MkdirAll(path, 0o700)
		}
	case len(words) == 2 && words[0] == "cat":
		err = s.show(words[1], -1)
	case len(words) == 4 && words[0] == "head" && words[1] == "-n":
		var lines int
		if lines, err = strconv.Atoi(words[2]); err == nil {
			err = s.show(words[3], lines)
		}
	default:
		return errors.New("the test cannot run this command")
	}
	if err == nil && code != want {
		err = fmt.Errorf("exit code %d, want %d", code, want)
	}
	return err
}

// show prints the first lines of a file; a negative number prints all.
func (s *session) show(name string, lines int) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if lines == 0 {
			break
		}
		lines--
		s.output.WriteString(line)
	}
	return nil
}

func (s *session) sampleAPI() {
	url, printed := startSampleAPI(s.t, shop.Options{Now: s.clock.Now})
	s.shop = strings.TrimPrefix(url, "http://")
	s.output.WriteString(strings.ReplaceAll(printed, s.shop, DefaultListen))
}

// serve starts a local platform whose jobs run in this process.
func (s *session) serve() error {
	ctx, cancel := context.WithCancel(context.Background())
	printed, ended := make(watched, 1), make(chan error, 1)
	go func() {
		ended <- Serve(ctx, ServeOptions{
			Data:    s.t.TempDir(),
			Listen:  "127.0.0.1:0",
			Token:   DefaultToken,
			Logging: sandbox.LogGELF,
			Stdout:  printed,
			Stderr:  s.t.Output(),
			Now:     s.clock.Now,
			engine:  inProcess{s.clock, s.dial},
		})
	}()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the local platform: %v", err)
		}
	})
	select {
	case err := <-ended:
		ended <- err
		return err
	case line := <-printed:
		s.local = anyPort.FindString(line)
		_, queue, _ := strings.Cut(line, `"queue":"http://`)
		queue, _, _ = strings.Cut(queue, `"`)
		s.output.WriteString(strings.NewReplacer(s.local, DefaultPlatformListen, queue, "127.0.0.1:"+DefaultQueuePort).Replace(line))
		return nil
	}
}

// shell runs a command by the shell, with the real addresses and directories.
func (s *session) shell(command string) error {
	for _, program := range []string{"sh", "curl", "grep"} {
		if _, err := exec.LookPath(program); err != nil {
			s.t.Skipf("the commands of this document need %s: %v", program, err)
		}
	}
	command = strings.NewReplacer(DefaultPlatformListen, s.local, s.inDoc+"/", s.root+"/").Replace(command)
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	return cmd.Run()
}

// extractor runs the component as cmd/extractor does.
func (s *session) extractor(args []string) (int, error) {
	o := app.Options{
		LogFormat: "console", // as on a terminal
		Stdout:    &s.output,
		Stderr:    &s.output,
		Run: env.Run{
			Getenv: func(string) string { return "" },
			Now:    s.clock.Now,
			Sleep:  s.clock.Sleep,
			Dial:   s.dial,
		},
	}
	for ; len(args) > 0; args = args[1:] {
		switch args[0] {
		case "--full":
			o.Full = true
			continue
		case "--merge":
			o.Merge = true
			continue
		}
		if !strings.HasPrefix(args[0], "-") {
			dir, err := s.path(args[0])
			if err != nil {
				return 0, err
			}
			o.DataDir = strings.TrimSuffix(dir, "/config.json")
			continue
		}
		if len(args) == 1 {
			return 0, fmt.Errorf("unknown argument %s", args[0])
		}
		switch args[0] {
		case "--data":
			dir, err := s.path(args[1])
			if err != nil {
				return 0, err
			}
			o.DataDir = dir
		case "--var":
			o.Variables = append(o.Variables, args[1])
		default:
			return 0, fmt.Errorf("unknown flag %s", args[0])
		}
		args = args[1:]
	}
	return app.Run(context.Background(), o), nil
}

// platformSettings are what the commands of a client must know, as the document exports
// them.
var platformSettings = []string{"KBC_URL=http://" + DefaultPlatformListen, "KBC_TOKEN=" + DefaultToken, "KBC_COMPONENTID=" + demoComponent}

// export sets what the commands of a client must know.
func (s *session) export(settings []string) error {
	if !slices.Equal(settings, platformSettings) {
		return fmt.Errorf("the local platform wants %q", platformSettings)
	}
	s.exported = true
	return nil
}

// client is a client of the running platform. What it shows comes at any time.
func (s *session) client() (*control.Session, error) {
	if !s.exported || s.local == "" {
		return nil, errors.New("the document has not started the platform, or not exported where it is")
	}
	client, err := platform.New(platform.Options{URL: "http://" + s.local, Token: DefaultToken})
	return &control.Session{
		Platform:  client,
		Component: demoComponent,
		Out:       &s.output,
		Progress:  s.t.Output(),
		Secrets:   &secret.Registry{}, // the token is public
		Now:       s.clock.Now,
		Sleep:     func(ctx context.Context, _ time.Duration) error { return app.Sleep(ctx, time.Millisecond) }, // the platform has a clock of its own
	}, err
}

// push stores a configuration as cmd/extractor does.
func (s *session) push(args []string) error {
	var p control.Push
	flags := pflag.NewFlagSet("push", pflag.ContinueOnError)
	flags.StringVar(&p.Name, "name", "", "")
	flags.StringVar(&p.Variables, "variables", "", "")
	client, err := s.client()
	if err := errors.Join(err, flags.Parse(args)); err != nil {
		return err
	}
	var noFile error
	p.File, err = s.path(flags.Arg(0))
	if p.Variables != "" {
		p.Variables, noFile = s.path(p.Variables)
	}
	if err := errors.Join(err, noFile); err != nil {
		return err
	}
	return client.Push(context.Background(), p)
}

// job runs a stored configuration as cmd/extractor does.
func (s *session) job(args []string) (int, error) {
	var r control.Run
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.StringVar(&r.Configuration, "config", "", "")
	flags.StringArrayVar(&r.Variables, "var", nil, "")
	flags.BoolVar(&r.Wait, "wait", false, "")
	client, err := s.client()
	if err := errors.Join(err, flags.Parse(args)); err != nil {
		return 0, err
	}
	code, err := client.Run(context.Background(), r)
	text := anyTime.ReplaceAllString(s.output.String(), arrival)
	s.output.Reset()
	s.output.WriteString(text)
	return code, err
}

// init begins a configuration as cmd/extractor does.
func (s *session) init(command string) (int, error) {
	words, err := shell.Fields(command, func(string) string { return "" })
	if err != nil {
		return 0, err
	}
	var out string
	o := scaffold.Options{Stdout: &s.output, Stderr: &s.output, Getenv: func(string) string { return "" }, Dial: s.dial}
	flags := pflag.NewFlagSet("init", pflag.ContinueOnError)
	flags.StringVar(&o.Curl, "curl", "", "")
	flags.StringVar(&out, "out", "", "")
	if err := flags.Parse(words[4:]); err != nil {
		return 0, err
	}
	o.URL = flags.Arg(0)
	if o.Out, err = s.path(out); err != nil {
		return 0, err
	}
	if err := scaffold.Example(context.Background(), o); err != nil {
		fmt.Fprintln(&s.output, err)
		return failure.ExitCode(err), nil
	}
	return 0, nil
}

// dial leads connections to the documented address of the sample API to where
// it really listens, and no connection elsewhere.
func (s *session) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address != DefaultListen || s.shop == "" {
		return nil, fmt.Errorf("nothing listens on %s", address)
	}
	return new(net.Dialer).DialContext(ctx, network, s.shop)
}

// arrival is shown as the time of every event of a job: when one arrives is not the same
// in every run.
const arrival = "2026-05-04T10:00:00+0000 "

var anyTime = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000 `)

// demo shows what is seen on standard output.
func (s *session) demo() (int, error) {
	var stdout, stderr bytes.Buffer
	code, err := Demo(context.Background(), DemoOptions{
		Stdout: &stdout,
		Stderr: &stderr,
		Now:    s.clock.Now,
		engine: inProcess{clock: s.clock},
	})
	text := anyTime.ReplaceAllString(stdout.String(), arrival)
	text = ports(text)
	s.output.WriteString(text)
	return code, err
}

// ports gives the ports in a text other numbers, in their order.
func ports(text string) string {
	given := map[string]string{}
	return anyPort.ReplaceAllStringFunc(text, func(port string) string {
		if given[port] == "" {
			given[port] = fmt.Sprintf("127.0.0.1:%d", 40123+len(given))
		}
		return given[port]
	})
}
