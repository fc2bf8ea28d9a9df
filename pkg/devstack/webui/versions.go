package webui

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const shownVersions = 100

// versionsPage lists the versions of a configuration and compares two of them.
type versionsPage struct {
	store.Configuration
	List []versionLine
	// Older is the number of the last version in the list if older versions follow,
	// otherwise 0.
	Older int
	// From and To are the numbers of the compared versions, or 0.
	From, To int
	Compared []comparison
	// Same is true if the compared versions are equal.
	Same bool
	// Problem is the reason why a version was not restored.
	Problem string
}

// versionLine is one version. Current is true for the newest version. Left and Right are
// true for the first and the second version to compare.
type versionLine struct {
	store.Version
	Who                  string
	Current, Left, Right bool
}

type comparison struct {
	Title string
	Lines []change
	// Omitted is the number of lines that are not in Lines.
	Omitted int
}

type change struct {
	// Kind is same, old, new or gap. A gap stands for Omitted equal lines.
	Kind string
	// Old and New are the line numbers in the two texts, or 0 if a text does not have the
	// line.
	Old, New int
	Text     string
	Omitted  int
}

const shownChanges = 4000

func (s *site) versions(w http.ResponseWriter, r *http.Request, c store.Configuration) error {
	return s.showVersions(w, r, c, http.StatusOK, "")
}

func (s *site) showVersions(w http.ResponseWriter, r *http.Request, c store.Configuration, status int, problem string) error {
	p := versionsPage{Configuration: c, Problem: problem}
	query := r.URL.Query()
	p.From, p.To = versionIn(query, "from"), versionIn(query, "to")
	if p.From > p.To && p.To > 0 {
		p.From, p.To = p.To, p.From
	}
	if err := s.listVersions(r, &p, versionIn(query, "before")); err != nil {
		return err
	}
	if p.From > 0 && p.To > 0 {
		if err := s.compare(&p); err != nil {
			return err
		}
	}
	return s.show(w, status, "versions", layout{Title: "Versions of " + (editTarget{Configuration: c}).title(), Section: "overview", Body: p, Assets: []string{"editor.css"}})
}

// versionIn returns the number of a version in a query, or 0 if there is none.
func versionIn(query url.Values, name string) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// listVersions adds the versions before a number, or the newest versions if before is 0.
// Only the APIs know who made a version.
func (s *site) listVersions(r *http.Request, p *versionsPage, before int) error {
	offset := 0
	if before > 0 {
		offset = max(p.Version-before+1, 0)
	}
	var records []struct {
		Version int
		Creator struct {
			Description string `json:"description"`
		} `json:"creatorToken"`
	}
	if !p.IsDeleted {
		path := fmt.Sprintf("%s/versions?limit=%d&offset=%d", storagePath(p.Component, p.ID), shownVersions, offset)
		err := s.call(r.Context(), http.MethodGet, path, nil, &records)
		if _, no := errors.AsType[*apiError](err); err != nil && !no {
			return err
		}
	}
	who := map[int]string{}
	for _, record := range records {
		who[record.Version] = record.Creator.Description
	}
	err := s.Store.Versions(p.Component, p.ID, "", func(v store.Version) bool {
		if before > 0 && v.Number >= before {
			return true
		}
		if len(p.List) == shownVersions {
			p.Older = p.List[len(p.List)-1].Number
			return false
		}
		p.List = append(p.List, versionLine{Version: v, Who: who[v.Number], Current: v.Number == p.Version})
		return true
	})
	// By default, the last two versions are selected for comparison.
	left, right := p.From, p.To
	if left == 0 && len(p.List) > 1 {
		left = p.List[1].Number
	}
	if right == 0 && len(p.List) > 0 {
		right = p.List[0].Number
	}
	for i := range p.List {
		p.List[i].Left, p.List[i].Right = p.List[i].Number == left, p.List[i].Number == right
	}
	return err
}

// compare compares the two versions of the page: the name and description, the
// configuration, and each row. Secrets are shown as placeholders, which differ if the
// stored secrets differ.
func (s *site) compare(p *versionsPage) error {
	old, err := s.Store.Version(p.Component, p.ID, p.From)
	if err != nil {
		return err
	}
	fresh, err := s.Store.Version(p.Component, p.ID, p.To)
	if err != nil {
		return err
	}
	names, err := s.secretNames(p.Configuration)
	if err != nil {
		return err
	}
	addSecretNames(old, names)
	addSecretNames(fresh, names)
	lines := func(text []byte) []string {
		v, err := value.Parse(text)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSuffix(s.hideSecrets(string(v.Pretty()), names), "\n"), "\n")
	}
	left := shownChanges
	add := func(title string, before, after []string) {
		if slices.Equal(before, after) {
			return
		}
		c := comparison{Title: title, Lines: compareLines(before, after)}
		c.Omitted = max(len(c.Lines)-left, 0)
		c.Lines = c.Lines[:len(c.Lines)-c.Omitted]
		left -= len(c.Lines)
		p.Compared = append(p.Compared, c)
	}
	add("Name and description", about(old.Name, old.Description, old.IsDisabled), about(fresh.Name, fresh.Description, fresh.IsDisabled))
	add("Configuration", lines(old.Configuration), lines(fresh.Configuration))
	for _, row := range old.Rows {
		title := (editTarget{Row: &row}).title()
		if now, found := fresh.Row(row.ID); found {
			add(title, append(about(row.Name, row.Description, row.IsDisabled), lines(row.Configuration)...), append(about(now.Name, now.Description, now.IsDisabled), lines(now.Configuration)...))
		} else {
			add(title+" (deleted)", lines(row.Configuration), nil)
		}
	}
	for _, row := range fresh.Rows {
		if _, found := old.Row(row.ID); !found {
			add((editTarget{Row: &row}).title()+" (new)", nil, lines(row.Configuration))
		}
	}
	p.Same = len(p.Compared) == 0
	return nil
}

// about returns the name, the description and the state of a version as lines.
func about(name, description string, disabled bool) []string {
	all := append([]string{name}, strings.Split(description, "\n")...)
	if disabled {
		all = append(all, "disabled")
	}
	return all
}

// restore makes a new version with the content of an earlier version.
func (s *site) restore(w http.ResponseWriter, r *http.Request, c store.Configuration) error {
	number, err := strconv.Atoi(r.PathValue("version"))
	if err != nil || number < 1 {
		return store.ErrNotFound
	}
	path := fmt.Sprintf("%s/versions/%d/rollback", storagePath(c.Component, c.ID), number)
	err = s.call(r.Context(), http.MethodPost, path, map[string]any{"changeDescription": fmt.Sprintf("Restored version %d", number)}, nil)
	if no, ok := errors.AsType[*apiError](err); ok {
		if no.Status == http.StatusNotFound {
			return store.ErrNotFound
		}
		return s.showVersions(w, r, c, no.Status, sentence(no.Message))
	} else if err != nil {
		return err
	}
	return s.goTo(w, r, configurationPath(c.Component, c.ID)+"/versions")
}

// compareLines returns the lines that differ between two texts, the equal lines around
// them, and gaps for the other lines.
func compareLines(old, fresh []string) []change {
	joined := func(lines []string) []byte {
		if len(lines) == 0 {
			return nil
		}
		return []byte(strings.Join(lines, "\n") + "\n")
	}
	var all []change
	i, k := 0, 0 // numbers of lines so far
	gap := func(until int) {
		if omitted := until - i; omitted > 0 {
			all = append(all, change{Kind: "gap", Omitted: omitted})
			i, k = i+omitted, k+omitted
		}
	}
	_, unified, _ := strings.Cut(string(diff.Diff("", joined(old), "", joined(fresh))), "\n+++ \n")
	for line := range strings.Lines(unified) {
		c := change{Old: i + 1, New: k + 1, Text: strings.TrimSuffix(line[1:], "\n")}
		switch line[0] {
		case '@': // "@@ -first,count +first,count @@"
			first, _ := strconv.Atoi(strings.TrimLeft(c.Text[:strings.IndexByte(c.Text, ',')], "@ -"))
			gap(first - 1)
			continue
		case '-':
			c.Kind, c.New = "old", 0
			i++
		case '+':
			c.Kind, c.Old = "new", 0
			k++
		default:
			c.Kind = "same"
			i, k = i+1, k+1
		}
		all = append(all, c)
	}
	gap(len(old))
	return all
}
