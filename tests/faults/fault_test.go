package faults

import (
	"context"
	"net"
)

// end is how a run must end.
type end string

const (
	// healthy: tables, manifests and state are those of a run without the fault.
	healthy end = "as healthy"
	// refused: a user error with a message, and nothing is left in the output.
	refused end = "refused with a message"
)

// always is how many requests a fault hits that does not go away.
const always = 1 << 20

// fault is one way in which an API misbehaves: either in what it answers to a
// request (hit) or in the connection for one (connect).
type fault struct {
	name string
	// row is where docs/understand/faults.md says what the extractor does about it.
	row string
	// once, often and stays are how a run ends that meets the fault one time,
	// five times, and every time; "" is not tried.
	once, often, stays end
	// says is what the message of a refused run contains.
	says string

	hit     func(*strike)
	connect func(ctx context.Context, w *world, n int) (net.Conn, error)

	// settings are laid over `api`, beside over the document.
	settings, beside string
	// secure takes the API to https.
	secure bool
	// only are the scenarios it makes a difference for; nil is all.
	only func(scenario, place) bool
	// body is how many bytes the response must have, or it cannot be hit so.
	body int
}

// duration is how long a fault lasts, and its effect.
type duration struct {
	name  string
	times int
	end   end
}

func (f fault) durations() []duration {
	var all []duration
	for _, d := range []duration{{"once", 1, f.once}, {"five times", 5, f.often}, {"always", always, f.stays}} {
		if d.end != "" {
			all = append(all, d)
		}
	}
	return all
}

// with gives faults what they have in common.
func with(common func(*fault), faults ...fault) []fault {
	for i := range faults {
		common(&faults[i])
	}
	return faults
}

// passing is a fault that a retry overcomes, and that fails the run when it
// stays.
func passing(row string) func(*fault) {
	return func(f *fault) { f.row, f.once, f.stays = row, healthy, refused }
}

// storm is a fault that lasts for some requests, or for ever.
func storm(row string) func(*fault) {
	return func(f *fault) { f.row, f.often, f.stays = row, healthy, refused }
}

// fatal is a fault that fails the run at once.
func fatal(row string) func(*fault) {
	return func(f *fault) { f.row, f.once = row, refused }
}

// harmless is a fault that no one notices.
func harmless(row string) func(*fault) {
	return func(f *fault) { f.row, f.once, f.stays = row, healthy, healthy }
}

// The scenarios by what the API wants to know.

func open(s scenario, _ place) bool { return s.login == "" }

func renewing(s scenario, p place) bool { return s.renews() && p.name != "login" }

func unrenewable(s scenario, p place) bool { return !s.renews() || p.name == "login" }

func noLogin(_ scenario, p place) bool { return p.name != "login" }

func proved(s scenario, p place) bool { return s.login != "" && p.name != "login" }
