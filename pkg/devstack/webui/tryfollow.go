package webui

import (
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

func (s *site) cancelTry(w http.ResponseWriter, r *http.Request) error {
	t, err := s.lookUp(r)
	if err != nil {
		return err
	}
	t.Cancel()
	info := t.Info()
	http.Redirect(w, r, s.session.path+tryURL(info.ID), http.StatusSeeOther)
	return nil
}

// followTry sends the head of a running try when it changes, at most once per beat, and
// its result at the end.
func (s *site) followTry(w http.ResponseWriter, r *http.Request) error {
	t, err := s.lookUp(r)
	if err != nil {
		return err
	}
	out := newStream(w)
	if headOnly(r) {
		return nil
	}
	defer out.to.release()
	beats, stop := s.Ticker(beat)
	defer stop()
	var sent string
	for t.Info().Running() {
		v, err := s.tryView(t, 0)
		if err != nil {
			return s.broken(r, err)
		}
		html, err := s.fragment("try-live", v)
		if err != nil {
			return s.broken(r, err)
		}
		if out.update(html, &sent) != nil || s.wait(r, t.Done(), beats) == over || out.alive() != nil {
			return nil // the client has disconnected, or the platform ends
		}
	}
	return s.broken(r, s.sendTry(out, t))
}

// sendTry sends the result of a try that has ended.
func (s *site) sendTry(out stream, t *tryrun.Try) error {
	v, err := s.tryView(t, 0)
	if err != nil {
		return err
	}
	html, err := s.fragment("try-result", v)
	if err != nil {
		return err
	}
	if err := out.send("replace", 0, html); err != nil {
		return err
	}
	return out.send("end", 0, "end")
}
