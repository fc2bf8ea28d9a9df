package platformapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	// urlAge is the lifetime of a file's download URL.
	urlAge = time.Hour
	// downloadPath is the path of the contents of a file. It needs no token because the
	// query contains a signature.
	downloadPath = storagePath + "/files/{file}/download"
)

type fileRecord struct {
	ID          uint64   `json:"id"`
	Name        string   `json:"name"`
	Created     string   `json:"created"`
	URL         string   `json:"url"`
	Region      string   `json:"region"`
	Provider    string   `json:"provider"`
	SizeBytes   int64    `json:"sizeBytes"`
	Tags        []string `json:"tags"`
	MaxAgeDays  *int     `json:"maxAgeDays"` // null for a permanent file
	IsPublic    bool     `json:"isPublic"`
	IsSliced    bool     `json:"isSliced"`
	IsEncrypted bool     `json:"isEncrypted"`
	IsPermanent bool     `json:"isPermanent"`
	RunID       *string  `json:"runId"`
	RunIDs      []string `json:"runIds"`
	Creator     jobToken `json:"creatorToken"`
	BranchID    int      `json:"idBranch"`
}

func (s *server) fileOf(r *http.Request, f store.File) fileRecord {
	id, _ := strconv.ParseUint(f.ID, 10, 64) // the store generated the id
	expires := strconv.FormatInt(s.Now().Add(urlAge).Unix(), 10)
	record := fileRecord{
		ID: id, Name: f.Name, Created: storageTime(f.Created), Region: "local", Provider: "local", SizeBytes: f.Size,
		Tags: append([]string{}, f.Tags...), IsPermanent: f.Permanent, RunID: orNull(f.RunID), RunIDs: []string{},
		Creator: jobToken{ID: tokenID, Description: tokenDescription}, BranchID: branchID,
		URL: baseURL(r) + storagePath + "/files/" + f.ID + "/download?" +
			url.Values{"expires": {expires}, "signature": {s.signature(f.ID, expires)}}.Encode(),
	}
	if !f.Permanent {
		days := int(store.MaxFileAge / (24 * time.Hour))
		record.MaxAgeDays = &days
	}
	if f.RunID != "" {
		record.RunIDs = append(record.RunIDs, f.RunID)
	}
	return record
}

// signature returns the signature of a file's download URL. Its key is derived from the key
// of the store.
func (s *server) signature(id, expires string) string {
	key := s.Store.Key()
	derived := hmac.New(sha256.New, key[:])
	_, _ = io.WriteString(derived, "addresses of files")
	mac := hmac.New(sha256.New, derived.Sum(nil))
	_, _ = io.WriteString(mac, id+" "+expires)
	return hex.EncodeToString(mac.Sum(nil))
}

func noFile(id string) *refusal {
	return notFound("storage.files.notFound", "File %q not found", id)
}

func (s *server) showFile(r *http.Request) (response, error) {
	q := queryOf(r)
	credentials, _ := q.flag("federationToken")
	switch {
	case q.err != nil:
		return response{}, q.err
	case credentials:
		return response{}, &refusal{
			status: http.StatusNotImplemented, code: "notImplemented",
			message: `The local platform has no cloud storage, so it has no credentials for one: leave out "federationToken" and download the file from its "url"`,
		}
	}
	f, err := s.Store.File(r.PathValue("file"))
	return ok(s.fileOf(r, f), replaceError(err, store.ErrNotFound, noFile(r.PathValue("file"))))
}

func (s *server) listFiles(r *http.Request) (response, error) {
	q := queryOf(r)
	skip, limit := q.number("offset", 0, 0, math.MaxInt32), q.number("limit", 100, 1, 10_000)
	since, _ := q.eventID("sinceId")
	below, given := q.eventID("maxId")
	if !given {
		below = math.MaxUint64
	}
	tags, run := q.list("tags"), q.text("runId")
	if q.err != nil {
		return response{}, q.err
	}
	found := []fileRecord{}
	err := s.Store.Files(func(f store.File) bool {
		id, _ := strconv.ParseUint(f.ID, 10, 64) // the store generated the id
		lacksTag := slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(f.Tags, tag) })
		switch {
		case id <= since:
			return false
		case id >= below || lacksTag || run != "" && f.RunID != run:
		case skip > 0:
			skip--
		default:
			found = append(found, s.fileOf(r, f))
		}
		return len(found) < limit
	})
	return ok(found, err)
}

func (s *server) deleteFile(r *http.Request) (response, error) {
	id := r.PathValue("file")
	return nothing(replaceError(s.Store.DeleteFile(id), store.ErrNotFound, noFile(id)))
}

// downloadFile responds with the contents of a file if the URL was signed by this server
// and has not expired.
func (s *server) downloadFile(r *http.Request) (response, error) {
	q := queryOf(r)
	id, expires, signature := r.PathValue("file"), q.text("expires"), q.text("signature")
	seconds, err := strconv.ParseInt(expires, 10, 64)
	switch {
	case q.err != nil:
		return response{}, q.err
	case !guard.Equal(signature, s.signature(id, expires)):
		return response{}, &refusal{status: http.StatusForbidden, code: "accessDenied", message: "The signature of the address is not valid"}
	case err != nil || s.Now().Unix() > seconds:
		return response{}, &refusal{status: http.StatusForbidden, code: "accessDenied", message: "The address has expired, read the file's record again"}
	}
	f, contents, err := s.Store.OpenFile(id)
	if err != nil {
		return response{}, replaceError(err, store.ErrNotFound, noFile(id))
	}
	return response{status: http.StatusOK, kind: f.Kind, file: contents, name: f.Name, modified: f.Created}, nil
}
