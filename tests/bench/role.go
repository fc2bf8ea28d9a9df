package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The program starts itself in two other roles, chosen by a variable of the
// environment. Either ends when its standard input does, so nothing is left
// behind by a program that was killed.
const (
	roleVariable = "BENCH_ROLE"
	roleAPI      = "api"      // serves the workloads
	roleLauncher = "launcher" // runs one measured process
)

// playRole does what this process was started for, when it was started for a
// role.
func playRole() (exit int, ok bool) {
	var err error
	switch os.Getenv(roleVariable) {
	case roleAPI:
		err = serve(os.Stdin, os.Stdout)
	case roleLauncher:
		err = launch(os.Stdin, os.Stdout)
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// inRole is this program in a role. Cancelling ends its standard input, which
// is pipe.
func inRole(ctx context.Context, role string) (cmd *exec.Cmd, pipe io.WriteCloser, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd = exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	if pipe, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	cmd.Cancel = pipe.Close
	cmd.WaitDelay = 5 * time.Second
	return cmd, pipe, nil
}

// serve serves the API on a free port of loopback, whose address is the first
// line it prints.
func serve(stdin io.Reader, stdout io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: new(api).handler()}
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // until it ends, one way or the other
		_ = server.Close()
	}()
	if _, err := fmt.Fprintf(stdout, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// apiProcess is the API in a process of its own, so that its CPU time is not
// that of a measured process.
type apiProcess struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer
}

func startAPI(ctx context.Context) (*apiProcess, error) {
	cmd, stdin, err := inRole(ctx, roleAPI)
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &apiProcess{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the API did not start: %w", err)
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// stop ends the process. How it ends does not matter any more.
func (p *apiProcess) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait()
}

// served is how many bytes of bodies the API has sent since it started.
func (p *apiProcess) served(ctx context.Context) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/served", nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}
