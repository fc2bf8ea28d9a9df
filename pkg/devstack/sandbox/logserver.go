package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// knockTimeout is the timeout of the server's connection to its own listener.
const knockTimeout = 5 * time.Second

// logServer is the GELF server of a run, over TCP. As on the platform, all connections
// share one buffer, so messages that are sent concurrently may be mixed up.
type logServer struct {
	listener net.Listener
	password string // marks the server's own connection

	writing sync.Mutex // guards frames
	frames  frames

	mu       sync.Mutex
	changed  *sync.Cond // signals changes of the fields below
	open     map[*pump]bool
	knocked  bool  // whether the server's own connection was accepted
	accepted error // reason why no more connections are accepted
}

// listen starts a server. The server calls give with one message at a time.
func listen(address string, give func(message)) (*logServer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for the log of the component: %w", err)
	}
	return serveLog(listener, give), nil
}

func serveLog(listener net.Listener, give func(message)) *logServer {
	l := &logServer{listener: listener, password: rand.Text(), frames: frames{give: give}, open: map[*pump]bool{}}
	l.changed = sync.NewCond(&l.mu)
	go l.accept()
	return l
}

func (l *logServer) port() string {
	return strconv.Itoa(l.listener.Addr().(*net.TCPAddr).Port)
}

func (l *logServer) accept() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			l.mu.Lock()
			l.accepted = err
			l.changed.Broadcast()
			l.mu.Unlock()
			return
		}
		l.serve(conn)
	}
}

func (l *logServer) serve(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := startPump(conn, l.receiver())
	l.open[p] = true
	go func() {
		<-p.done
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, p)
		l.changed.Broadcast()
	}()
}

// receiver returns the function that receives the data of a connection. It holds data back
// that may be the beginning of the password.
func (l *logServer) receiver() func(piece []byte) {
	var begin []byte
	known := false // whether this is a connection of the component
	return func(piece []byte) {
		if !known {
			begin = append(begin, piece...)
			piece, known = begin, !strings.HasPrefix(l.password, string(begin))
		}
		if known {
			l.writing.Lock()
			defer l.writing.Unlock()
			l.frames.write(piece)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.knocked = l.knocked || len(begin) == len(l.password)
		l.changed.Broadcast()
	}
}

// close ends the server after the component has ended. It first waits for everything that
// was sent before, until the given time at the latest.
func (l *logServer) close(until time.Time) error {
	knockErr := l.knock()
	err := l.listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.accepted == nil {
		l.changed.Wait()
	}
	if errors.Is(l.accepted, net.ErrClosed) {
		l.accepted = nil
	}
	for p := range l.open {
		p.finish(until)
	}
	for len(l.open) > 0 {
		l.changed.Wait()
	}
	if err := errors.Join(knockErr, l.accepted, err); err != nil {
		return fmt.Errorf("the log of the component may be incomplete: %w", err)
	}
	return nil
}

// knock waits until all earlier connections have been accepted. When a listener closes,
// connections in its queue are lost with their data. So knock makes one more connection,
// which is accepted after all earlier ones. The server recognizes it by its password,
// because its address may be translated.
func (l *logServer) knock() error {
	conn, err := net.DialTimeout("tcp", l.listener.Addr().String(), knockTimeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(l.password)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.knocked && l.accepted == nil {
		l.changed.Wait()
	}
	return nil
}
