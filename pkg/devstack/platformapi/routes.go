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
	// notificationPath is the path of an API without content: clients list the
	// notifications of a project when they read its configurations.
	notificationPath = "/notification"
	// configurationPath is the path of a configuration below a branch.
	configurationPath = "components/{component}/configs/{configuration}"
)

// methods are the endpoints of a path, by method. If the function of an endpoint returns an
// error that is not a *refusal, the error is a fault of this program.
type methods map[string]endpoint

// register registers every path once, with all its methods, so that the response to an
// unknown method is the same for all paths.
func (s *server) register() {
	for pattern, m := range s.endpoints() {
		if isPublic(pattern) {
			s.routes.Handle(pattern, s.public(m))
		} else {
			s.routes.Handle(pattern, s.private(m))
		}
	}
}

// isPublic reports whether a path needs no token: the index, a component, downloads, which
// have a signed URL, and the encryption, which reveals no data that the client does not
// have.
func isPublic(pattern string) bool {
	return slices.Contains([]string{
		storagePath, storagePath + "/components/{component}", storagePath + "/branch/{branch}/components/{component}",
		encryptPath, downloadPath,
	}, pattern)
}

// endpoints returns the endpoints of all paths.
//
// To add an endpoint, write its function in the file of its subject and list it here, or in
// branchPaths for paths that also exist below a branch, with the parameters that it reads
// (query, body), ignores or lacks. Add a test beside the file and a row to
// docs/how-to/local-platform.md. parameters_test.go and hostile_test.go try each endpoint of the
// list.
func (s *server) endpoints() map[string]methods {
	search := newEndpoint(s.searchJobs).query(searchParameters()...)
	all := map[string]methods{
		storagePath:                   {http.MethodGet: newEndpoint(s.index).query("exclude[]")},
		storagePath + "/dev-branches": {http.MethodGet: newEndpoint(s.listBranches), http.MethodPost: unsupported()},
		storagePath + "/dev-branches/{branch}": {
			http.MethodGet: newEndpoint(s.showBranch), http.MethodPut: unsupported(), http.MethodDelete: unsupported(),
		},
		downloadPath:                   {http.MethodGet: newEndpoint(s.downloadFile).query("expires", "signature")},
		storagePath + "/tickets":       {http.MethodPost: newEndpoint(s.createTicket)},
		queuePath + "/jobs":            {http.MethodPost: newEndpoint(s.createJob).body(jobMembers()...), http.MethodGet: search},
		queuePath + "/jobs/{job}":      {http.MethodGet: newEndpoint(s.showJob)},
		queuePath + "/jobs/{job}/kill": {http.MethodPost: newEndpoint(s.killJob)},
		queuePath + "/search/jobs":     {http.MethodGet: search},
		encryptPath:                    {http.MethodPost: newEndpoint(s.encrypt).query("componentId", "projectId", "configId", "branchType").readsBody()},
		faultsPath: {
			http.MethodGet: newEndpoint(s.listFaults), http.MethodPut: newEndpoint(s.setFaults).readsBody(), http.MethodDelete: newEndpoint(s.clearFaults),
		},
		notificationPath + "/project-subscriptions": {http.MethodGet: newEndpoint(s.listSubscriptions).ignores("there are none", "event", "filterPhase")},
	}
	// As on the platform, this search needs a branch.
	all[storagePath+"/branch/{branch}/search/component-configurations"] = methods{
		http.MethodGet: newEndpoint(s.searchConfigurations).query("componentId", "idComponent", "configurationId", "metadataKeys[]", "include[]"),
	}
	all[storagePath+"/search/component-configurations"] = methods{http.MethodGet: unsupported()}
	for pattern, m := range s.branchPaths() {
		all[storagePath+"/"+pattern] = m
		all[storagePath+"/branch/{branch}/"+pattern] = m
	}
	return all
}

// branchPaths returns the endpoints that exist with and without a branch in the path.
// Without a branch they use the default branch.
func (s *server) branchPaths() map[string]methods {
	all := map[string]methods{
		"tokens/verify": {http.MethodGet: newEndpoint(s.verifyToken)},
		"events": {
			http.MethodGet: newEndpoint(s.listEvents).query("runId", "component", "configurationId", "sinceId", "maxId", "q", "limit", "offset", "sortOrder"),
			http.MethodPost: newEndpoint(s.createEvent).body("component", "type", "message", "description", "configurationId", "runId", "params",
				"results", "duration"),
		},
		"events/{event}": {http.MethodGet: newEndpoint(s.showEvent)},
	}
	maps.Copy(all, s.configurationPaths())
	maps.Copy(all, s.versionPaths())
	maps.Copy(all, s.metadataPaths())
	maps.Copy(all, s.tablePaths())
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

func (s *server) configurationPaths() map[string]methods {
	const (
		configuration = configurationPath
		row           = configuration + "/rows/{row}"
		inPath        = "the path names it"
	)
	setState := newEndpoint(s.setState).body("state")
	return map[string]methods{
		"components":             {http.MethodGet: newEndpoint(s.listComponents).query("include[]", "isDeleted").lacks("componentType")},
		"components/{component}": {http.MethodGet: newEndpoint(s.showComponent)},
		"components/{component}/configs": {
			http.MethodGet: newEndpoint(s.listConfigurations).query("isDeleted"),
			http.MethodPost: newEndpoint(s.createConfiguration).
				body("configurationId", "name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId").
				ignores("a new configuration has no rows", "rowsSortOrder"),
		},
		configuration: {
			http.MethodGet: newEndpoint(s.showConfiguration),
			http.MethodPut: newEndpoint(s.updateConfiguration).
				body("name", "description", "changeDescription", "configuration", "state", "isDisabled", "rowsSortOrder[]").
				ignores(inPath, "branchId", "componentId", "configurationId", "id"),
			http.MethodDelete: newEndpoint(s.deleteConfiguration),
		},
		configuration + "/state": {http.MethodPut: setState},
		configuration + "/rows": {
			http.MethodGet: newEndpoint(s.listRows),
			http.MethodPost: newEndpoint(s.createRow).
				body("rowId", "name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId", "configId", "configurationId"),
		},
		row: {
			http.MethodGet: newEndpoint(s.showRow),
			http.MethodPut: newEndpoint(s.updateRow).
				body("name", "description", "changeDescription", "configuration", "state", "isDisabled").
				ignores(inPath, "branchId", "componentId", "configId", "configurationId", "rowId", "id"),
			http.MethodDelete: newEndpoint(s.deleteRow).query("changeDescription"),
		},
		row + "/state": {http.MethodPut: setState},
	}
}

func (s *server) versionPaths() map[string]methods {
	const ofRow = configurationPath + "/rows/{row}"
	all := map[string]methods{
		configurationPath + "/restore": {http.MethodPost: newEndpoint(s.restore).body("changeDescription")},
		configurationPath + "/versions/{version}/create": {
			http.MethodPost: newEndpoint(s.copyVersion).body("configurationId", "name", "description", "changeDescription"),
		},
		ofRow + "/versions/{version}/create": {http.MethodPost: newEndpoint(s.copyRowVersion).body("targetConfigId", "changeDescription")},
	}
	for _, path := range []string{configurationPath, ofRow} {
		all[path+"/versions"] = methods{http.MethodGet: newEndpoint(s.listVersions).query("limit", "offset", "include[]")}
		all[path+"/versions/{version}"] = methods{http.MethodGet: newEndpoint(s.showVersion)}
		all[path+"/versions/{version}/rollback"] = methods{http.MethodPost: newEndpoint(s.rollback).body("changeDescription")}
	}
	return all
}

func (s *server) tablePaths() map[string]methods {
	const everything = "a record always has everything"
	tables := newEndpoint(s.listTables).ignores(everything, "include")
	return map[string]methods{
		"buckets": {
			http.MethodGet: newEndpoint(s.listBuckets).ignores(everything, "include"),
			http.MethodPost: newEndpoint(s.createBucket).body("name", "stage", "displayName", "description").
				ignores("there is one backend", "backend").lacks("sourceProjectId", "sourceBucketId", "color"),
		},
		"buckets/{bucket}": {
			http.MethodGet:    newEndpoint(s.showBucket).ignores(everything, "include"),
			http.MethodPut:    newEndpoint(s.updateBucket).body("displayName", "async").lacks("color"),
			http.MethodDelete: newEndpoint(s.deleteBucket).query("force", "async"),
		},
		"buckets/{bucket}/tables": {http.MethodGet: tables, http.MethodPost: unsupported()},
		"tables":                  {http.MethodGet: tables},
		"tables/{table}": {
			http.MethodGet: with(s.table, s.showTable).ignores(everything, "include"),
			http.MethodDelete: newEndpoint(s.deleteTable).query("async").
				ignores("no table depends on another one", "force").lacks("unlink"),
		},
		"tables/{table}/data-preview": {http.MethodGet: with(s.table, s.previewTable).query(selectionParameters()...).query("format").lacks("escape")},
		"tables/{table}/export-async": {
			http.MethodPost: withForm(s.table, s.exportTable).body(selectionParameters()...).body("format", "gzip").
				lacks("escape", "fileType", "includeInternalTimestamp"),
		},
		"jobs":             {http.MethodGet: newEndpoint(s.listOperations).query("limit", "offset")},
		"jobs/{operation}": {http.MethodGet: newEndpoint(s.showOperation)},
		"files": {
			http.MethodGet: newEndpoint(s.listFiles).query("limit", "offset", "sinceId", "maxId", "tags[]", "runId").
				ignores("expired files are deleted", "showExpired").lacks("q"),
		},
		"files/{file}": {http.MethodGet: newEndpoint(s.showFile).query("federationToken"), http.MethodDelete: newEndpoint(s.deleteFile)},
	}
}

// route calls the endpoint of a path. It ignores a slash at the end. Any other unclean path
// is unknown; there are no redirects.
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

func (s *server) private(m methods) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.authorize(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		s.public(m).ServeHTTP(w, r)
	})
}

// public checks that the branch in the path, if any, is the default branch, and carries out
// the request.
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
		r = called.withEndpoint(r)
		if err := called.check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		resp, err := called.run(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.send(w, r, resp)
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

// within reports whether a path equals parent or is below it.
func within(p, parent string) bool {
	return p == parent || strings.HasPrefix(p, parent+"/")
}
