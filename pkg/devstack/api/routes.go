package api

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	storagePath    = "/v2/storage"
	queuePath      = "/queue"
	encryptionPath = "/encryption"
	faultsPath     = "/faults"
)

// endpoint carries out one request. An error that is not a *refusal is an error of
// this program.
type endpoint func(*http.Request) (answer, error)

type methods map[string]endpoint

// register registers every path once, with all its methods, so that an unknown
// method is answered in the same way everywhere.
func (s *server) register() {
	for pattern, m := range s.endpoints() {
		if isPublic(pattern) {
			s.routes.Handle(pattern, s.public(m))
		} else {
			s.routes.Handle(pattern, s.private(m))
		}
	}
}

// isPublic reports whether a path needs no token: the index, a component, and the
// encryption, which shows nothing that its client does not know.
func isPublic(pattern string) bool {
	return slices.Contains([]string{
		storagePath, storagePath + "/components/{component}", storagePath + "/branch/{branch}/components/{component}", encryptPath,
	}, pattern)
}

// endpoints are all paths.
func (s *server) endpoints() map[string]methods {
	all := map[string]methods{
		storagePath:                    {http.MethodGet: s.index},
		storagePath + "/tokens/verify": {http.MethodGet: s.verifyToken},
		storagePath + "/dev-branches":  {http.MethodGet: s.listBranches},
		storagePath + "/tickets":       {http.MethodPost: s.createTicket},
		queuePath + "/jobs":            {http.MethodPost: s.createJob, http.MethodGet: s.searchJobs},
		queuePath + "/jobs/{job}":      {http.MethodGet: s.showJob},
		queuePath + "/jobs/{job}/kill": {http.MethodPost: s.killJob},
		queuePath + "/search/jobs":     {http.MethodGet: s.searchJobs},
		encryptPath:                    {http.MethodPost: s.encrypt},
		faultsPath:                     {http.MethodGet: s.listFaults, http.MethodPut: s.setFaults, http.MethodDelete: s.clearFaults},
	}
	all[storagePath+"/branch/{branch}/search/component-configurations"] = methods{http.MethodGet: s.searchConfigurations}
	ofBranch := s.ofBranch()
	maps.Copy(ofBranch, s.metadataEndpoints())
	for pattern, m := range ofBranch {
		all[storagePath+"/"+pattern] = m
		all[storagePath+"/branch/{branch}/"+pattern] = m
	}
	return all
}

// ofBranch are the paths that exist with and without a branch; without one they
// mean the default branch.
func (s *server) ofBranch() map[string]methods {
	const (
		configuration = "components/{component}/configs/{configuration}"
		row           = configuration + "/rows/{row}"
	)
	return map[string]methods{
		"components":                     {http.MethodGet: s.listComponents},
		"components/{component}":         {http.MethodGet: s.showComponent},
		"components/{component}/configs": {http.MethodGet: s.listConfigurations, http.MethodPost: s.createConfiguration},
		configuration: {
			http.MethodGet: s.showConfiguration, http.MethodPut: s.updateConfiguration, http.MethodDelete: s.deleteConfiguration,
		},
		configuration + "/restore":                     {http.MethodPost: s.restore},
		configuration + "/versions":                    {http.MethodGet: s.listVersions},
		configuration + "/versions/{version}":          {http.MethodGet: s.showVersion},
		configuration + "/versions/{version}/rollback": {http.MethodPost: s.rollback},
		configuration + "/versions/{version}/create":   {http.MethodPost: s.copyVersion},
		configuration + "/state":                       {http.MethodPut: s.setState},
		configuration + "/rows":                        {http.MethodGet: s.listRows, http.MethodPost: s.createRow},
		row: {
			http.MethodGet: s.showRow, http.MethodPut: s.updateRow, http.MethodDelete: s.deleteRow,
		},
		row + "/state":                       {http.MethodPut: s.setState},
		row + "/versions":                    {http.MethodGet: s.listRowVersions},
		row + "/versions/{version}":          {http.MethodGet: s.showRowVersion},
		row + "/versions/{version}/rollback": {http.MethodPost: s.rollbackRow},
		row + "/versions/{version}/create":   {http.MethodPost: s.copyRowVersion},
		"events":                             {http.MethodGet: s.listEvents, http.MethodPost: s.createEvent},
		"events/{event}":                     {http.MethodGet: s.showEvent},
		"buckets":                            {http.MethodGet: s.listBuckets, http.MethodPost: s.createBucket},
		"buckets/{bucket}":                   {http.MethodGet: s.showBucket},
		"buckets/{bucket}/tables":            {http.MethodGet: s.listTables},
		"tables":                             {http.MethodGet: s.listTables},
		"tables/{table}":                     {http.MethodGet: s.showTable},
		"tables/{table}/data-preview":        {http.MethodGet: s.previewTable},
	}
}

// route finds the endpoint of a path. A slash at the end makes no difference. Any
// other odd spelling is an unknown path, never a redirect.
func (s *server) route(w http.ResponseWriter, r *http.Request) {
	r = withoutSlash(r)
	escaped := r.URL.EscapedPath()
	if _, pattern := s.routes.Handler(r); pattern == "" || path.Clean(escaped) != escaped {
		s.refuse(w, r, s.unknownPath(r))
		return
	}
	s.routes.ServeHTTP(w, r)
}

func (s *server) unknownPath(r *http.Request) error {
	if err := s.authorize(r); err != nil {
		return err
	}
	return notFound("notFound", "Path %q not found", r.URL.Path)
}

func withoutSlash(r *http.Request) *http.Request {
	if len(r.URL.Path) < 2 || !strings.HasSuffix(r.URL.EscapedPath(), "/") {
		return r
	}
	u := *r.URL
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	clone := *r
	clone.URL = &u
	return &clone
}

// private requires the token.
func (s *server) private(m methods) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.authorize(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		s.public(m).ServeHTTP(w, r)
	})
}

// public requires, if a branch is named, the default branch.
func (s *server) public(m methods) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b := r.PathValue("branch"); b != "" && b != "default" && b != strconv.Itoa(branchID) {
			s.refuse(w, r, notFound("storage.branches.notFound", "Branch %q not found", b))
			return
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		run, found := m[method]
		if !found {
			w.Header().Set("Allow", m.allowed())
			s.refuse(w, r, &refusal{
				status: http.StatusMethodNotAllowed, code: "methodNotAllowed",
				message: "Method " + r.Method + " is not allowed here, only " + m.allowed(),
			})
			return
		}
		a, err := run(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.send(w, r, a)
	})
}

func (m methods) allowed() string {
	names := slices.Collect(maps.Keys(m))
	if _, found := m[http.MethodGet]; found {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// within reports whether a path is the same as another one or below it.
func within(p, parent string) bool {
	return p == parent || strings.HasPrefix(p, parent+"/")
}
