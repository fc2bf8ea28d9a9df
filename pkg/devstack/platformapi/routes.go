package platformapi

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
	// notificationPath has an API without content: clients list the notifications of
	// a project when they read its configurations.
	notificationPath = "/notification"
	// configurationPath is the path of a configuration below a branch.
	configurationPath = "components/{component}/configs/{configuration}"
)

// methods are the endpoints of a path. The function of an endpoint returns an error
// that is not a *refusal for an error of this program.
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

// isPublic reports whether a path needs no token: the index, a component, the
// encryption, which shows nothing that its client does not know, and downloads, whose
// address is signed.
func isPublic(pattern string) bool {
	return slices.Contains([]string{
		storagePath, storagePath + "/components/{component}", storagePath + "/branch/{branch}/components/{component}",
		encryptPath, downloadPath,
	}, pattern)
}

// endpoints are all paths, with the parameters of their requests.
func (s *server) endpoints() map[string]methods {
	search := does(s.searchJobs).query(searchParameters()...)
	all := map[string]methods{
		storagePath:                   {http.MethodGet: does(s.index).query("exclude[]")},
		storagePath + "/dev-branches": {http.MethodGet: does(s.listBranches), http.MethodPost: unsupported()},
		storagePath + "/dev-branches/{branch}": {
			http.MethodGet: does(s.showBranch), http.MethodPut: unsupported(), http.MethodDelete: unsupported(),
		},
		downloadPath:                   {http.MethodGet: does(s.downloadFile).query("expires", "signature")},
		storagePath + "/tickets":       {http.MethodPost: does(s.createTicket)},
		queuePath + "/jobs":            {http.MethodPost: does(s.createJob).body(jobMembers()...), http.MethodGet: search},
		queuePath + "/jobs/{job}":      {http.MethodGet: does(s.showJob)},
		queuePath + "/jobs/{job}/kill": {http.MethodPost: does(s.killJob)},
		queuePath + "/search/jobs":     {http.MethodGet: search},
		encryptPath:                    {http.MethodPost: does(s.encrypt).query("componentId", "projectId", "configId", "branchType").readsBody()},
		faultsPath: {
			http.MethodGet: does(s.listFaults), http.MethodPut: does(s.setFaults).readsBody(), http.MethodDelete: does(s.clearFaults),
		},
		notificationPath + "/project-subscriptions": {http.MethodGet: does(s.listSubscriptions).ignores("there are none", "event", "filterPhase")},
	}
	// As on the platform, this search needs a branch.
	all[storagePath+"/branch/{branch}/search/component-configurations"] = methods{
		http.MethodGet: does(s.searchConfigurations).query("componentId", "idComponent", "configurationId", "metadataKeys[]", "include[]"),
	}
	all[storagePath+"/search/component-configurations"] = methods{http.MethodGet: unsupported()}
	for pattern, m := range s.ofBranch() {
		all[storagePath+"/"+pattern] = m
		all[storagePath+"/branch/{branch}/"+pattern] = m
	}
	return all
}

// ofBranch are the paths that exist with and without a branch; without one they
// mean the default branch.
func (s *server) ofBranch() map[string]methods {
	all := map[string]methods{
		"tokens/verify": {http.MethodGet: does(s.verifyToken)},
		"events": {
			http.MethodGet: does(s.listEvents).query("runId", "component", "configurationId", "sinceId", "maxId", "q", "limit", "offset", "sortOrder"),
			http.MethodPost: does(s.createEvent).body("component", "type", "message", "description", "configurationId", "runId", "params",
				"results", "duration"),
		},
		"events/{event}": {http.MethodGet: does(s.showEvent)},
	}
	maps.Copy(all, s.ofConfigurations())
	maps.Copy(all, s.ofVersions())
	maps.Copy(all, s.ofMetadata())
	maps.Copy(all, s.ofTables())
	for pattern, names := range unsupportedPaths() {
		if all[pattern] == nil {
			all[pattern] = methods{}
		}
		for _, method := range names {
			all[pattern][method] = unsupported()
		}
	}
	return all
}

// ofConfigurations are the paths of components, configurations and rows.
func (s *server) ofConfigurations() map[string]methods {
	const (
		configuration = configurationPath
		row           = configuration + "/rows/{row}"
		inPath        = "the path names it"
	)
	setState := does(s.setState).body("state")
	return map[string]methods{
		"components":             {http.MethodGet: does(s.listComponents).query("include[]", "isDeleted").lacks("componentType")},
		"components/{component}": {http.MethodGet: does(s.showComponent)},
		"components/{component}/configs": {
			http.MethodGet: does(s.listConfigurations).query("isDeleted"),
			http.MethodPost: does(s.createConfiguration).
				body("configurationId", "name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId").
				ignores("a new configuration has no rows", "rowsSortOrder"),
		},
		configuration: {
			http.MethodGet: does(s.showConfiguration),
			http.MethodPut: does(s.updateConfiguration).
				body("name", "description", "changeDescription", "configuration", "state", "isDisabled", "rowsSortOrder[]").
				ignores(inPath, "branchId", "componentId", "configurationId", "id"),
			http.MethodDelete: does(s.deleteConfiguration),
		},
		configuration + "/state": {http.MethodPut: setState},
		configuration + "/rows": {
			http.MethodGet: does(s.listRows),
			http.MethodPost: does(s.createRow).
				body("rowId", "name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId", "configId", "configurationId"),
		},
		row: {
			http.MethodGet: does(s.showRow),
			http.MethodPut: does(s.updateRow).
				body("name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId", "configId", "configurationId", "rowId", "id"),
			http.MethodDelete: does(s.deleteRow).query("changeDescription"),
		},
		row + "/state": {http.MethodPut: setState},
	}
}

// ofVersions are the paths of versions and of the trash.
func (s *server) ofVersions() map[string]methods {
	const ofRow = configurationPath + "/rows/{row}"
	versions := func(list func(*http.Request) (response, error)) methods {
		return methods{http.MethodGet: does(list).query("limit", "offset", "include[]")}
	}
	return map[string]methods{
		configurationPath + "/restore":                     {http.MethodPost: does(s.restore).body("changeDescription")},
		configurationPath + "/versions":                    versions(s.listVersions),
		configurationPath + "/versions/{version}":          {http.MethodGet: does(s.showVersion)},
		configurationPath + "/versions/{version}/rollback": {http.MethodPost: does(s.rollback).body("changeDescription")},
		configurationPath + "/versions/{version}/create": {
			http.MethodPost: does(s.copyVersion).body("configurationId", "name", "description", "changeDescription"),
		},
		ofRow + "/versions":                    versions(s.listRowVersions),
		ofRow + "/versions/{version}":          {http.MethodGet: does(s.showRowVersion)},
		ofRow + "/versions/{version}/rollback": {http.MethodPost: does(s.rollbackRow).body("changeDescription")},
		ofRow + "/versions/{version}/create":   {http.MethodPost: does(s.copyRowVersion).body("targetConfigId", "changeDescription")},
	}
}

// ofTables are the paths of buckets, tables and what is exported from them.
func (s *server) ofTables() map[string]methods {
	const everything = "a record always has everything"
	tables := does(s.listTables).ignores(everything, "include")
	return map[string]methods{
		"buckets": {
			http.MethodGet: does(s.listBuckets).ignores(everything, "include"),
			http.MethodPost: does(s.createBucket).body("name", "stage", "displayName", "description").
				ignores("there is one backend", "backend").lacks("sourceProjectId", "sourceBucketId", "color"),
		},
		"buckets/{bucket}": {
			http.MethodGet:    does(s.showBucket).ignores(everything, "include"),
			http.MethodPut:    does(s.updateBucket).body("displayName", "async").lacks("color"),
			http.MethodDelete: does(s.deleteBucket).query("force", "async"),
		},
		"buckets/{bucket}/tables": {http.MethodGet: tables, http.MethodPost: unsupported()},
		"tables":                  {http.MethodGet: tables},
		"tables/{table}": {
			http.MethodGet: does(s.showTable).ignores(everything, "include"),
			http.MethodDelete: does(s.deleteTable).query("async").
				ignores("no table depends on another one", "force").lacks("unlink"),
		},
		"tables/{table}/data-preview": {http.MethodGet: does(s.previewTable).query(selectionParameters()...).query("format").lacks("escape")},
		"tables/{table}/export-async": {
			http.MethodPost: does(s.exportTable).body(selectionParameters()...).body("format", "gzip").
				lacks("escape", "fileType", "includeInternalTimestamp"),
		},
		"jobs":             {http.MethodGet: does(s.listOperations).query("limit", "offset")},
		"jobs/{operation}": {http.MethodGet: does(s.showOperation)},
		"files": {
			http.MethodGet: does(s.listFiles).query("limit", "offset", "sinceId", "maxId", "tags[]", "runId").
				ignores("expired files are deleted", "showExpired").lacks("q"),
		},
		"files/{file}": {http.MethodGet: does(s.showFile).query("federationToken"), http.MethodDelete: does(s.deleteFile)},
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
		called, found := m[method]
		if !found {
			w.Header().Set("Allow", m.allowed())
			s.refuse(w, r, &refusal{
				status: http.StatusMethodNotAllowed, code: "methodNotAllowed",
				message: "Method " + r.Method + " is not allowed here, only " + m.allowed(),
			})
			return
		}
		r = called.called(r)
		if err := called.check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		a, err := called.run(r)
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
