package platformapi

import (
	"net/http"
	"strconv"
)

type creator struct {
	// ID is a number in the storage API.
	ID          int    `json:"id"`
	Description string `json:"description"`
}

type tokenRecord struct {
	ID                    string   `json:"id"`
	Description           string   `json:"description"`
	Created               string   `json:"created"`
	Refreshed             string   `json:"refreshed"`
	Expires               *string  `json:"expires"`
	IsExpired             bool     `json:"isExpired"`
	IsDisabled            bool     `json:"isDisabled"`
	IsMasterToken         bool     `json:"isMasterToken"`
	CanManageBuckets      bool     `json:"canManageBuckets"`
	CanManageTokens       bool     `json:"canManageTokens"`
	CanReadAllFileUploads bool     `json:"canReadAllFileUploads"`
	CanPurgeTrash         bool     `json:"canPurgeTrash"`
	CanCreateJobs         bool     `json:"canCreateJobs"`
	BucketPermissions     struct{} `json:"bucketPermissions"`
	ComponentAccess       []string `json:"componentAccess"`
	Owner                 owner    `json:"owner"`
	// URI and the fields below it are fields of the platform's record. The record does not
	// contain the token, because the client has it.
	URI           string       `json:"uri"`
	DailyCapacity int          `json:"dailyCapacity"`
	Creator       creator      `json:"creatorToken"`
	Organization  organization `json:"organization"`
	Admin         admin        `json:"admin"`
}

type organization struct {
	ID string `json:"id"`
}

// admin is the user of a master token.
type admin struct {
	ID                   int      `json:"id"`
	Name                 string   `json:"name"`
	Features             []string `json:"features"`
	IsOrganizationMember bool     `json:"isOrganizationMember"`
	Role                 string   `json:"role"`
}

type owner struct {
	ID                  int      `json:"id"`
	Name                string   `json:"name"`
	Type                string   `json:"type"`
	Created             string   `json:"created"`
	Expires             *string  `json:"expires"`
	Features            []string `json:"features"`
	DataSizeBytes       int64    `json:"dataSizeBytes"`
	RowsCount           int      `json:"rowsCount"`
	HasMysql            bool     `json:"hasMysql"`
	HasSynapse          bool     `json:"hasSynapse"`
	HasRedshift         bool     `json:"hasRedshift"`
	HasSnowflake        bool     `json:"hasSnowflake"`
	HasExasol           bool     `json:"hasExasol"`
	HasTeradata         bool     `json:"hasTeradata"`
	HasBigquery         bool     `json:"hasBigquery"`
	IsDisabled          bool     `json:"isDisabled"`
	Metrics             struct{} `json:"metrics"`
	Region              string   `json:"region"`
	DefaultBackend      string   `json:"defaultBackend"`
	FileStorageProvider string   `json:"fileStorageProvider"`
	Limits              struct{} `json:"limits"`
}

func (s *server) verifyToken(r *http.Request) (response, error) {
	tables, err := s.Store.Tables("")
	if err != nil {
		return response{}, err
	}
	record := tokenRecord{
		ID: tokenID, Description: tokenDescription, URI: baseURL(r) + storagePath + "/tokens/" + tokenID,
		Created: storageTime(s.started), Refreshed: storageTime(s.started),
		IsMasterToken: true, CanManageBuckets: true, CanReadAllFileUploads: true, CanPurgeTrash: true, CanCreateJobs: true,
		ComponentAccess: []string{}, Creator: creatorToken(), Organization: organization{ID: "1"},
		Admin: admin{ID: 1, Name: tokenDescription, Features: []string{}, IsOrganizationMember: true, Role: "admin"},
		Owner: owner{
			ID: projectID, Name: projectName, Type: "production", Created: storageTime(s.started), Features: []string{},
			Region: "local", DefaultBackend: "local", FileStorageProvider: "local",
		},
	}
	for _, t := range tables {
		record.Owner.RowsCount += t.Rows
		record.Owner.DataSizeBytes += t.Bytes
	}
	return ok(record, nil)
}

type branchRecord struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Created     string  `json:"created"`
	IsDefault   bool    `json:"isDefault"`
	Creator     creator `json:"creatorToken"`
}

func (s *server) listBranches(*http.Request) (response, error) {
	return ok([]branchRecord{s.branch()}, nil)
}

// showBranch responds with the only branch. Requests for any other branch have been refused
// before.
func (s *server) showBranch(*http.Request) (response, error) { return ok(s.branch(), nil) }

func (s *server) branch() branchRecord {
	return branchRecord{ID: branchID, Name: branchName, Created: storageTime(s.started), IsDefault: true, Creator: creatorToken()}
}

func creatorToken() creator {
	return creator{ID: 1, Description: tokenDescription}
}

func (s *server) createTicket(*http.Request) (response, error) {
	id, err := s.Store.NewID()
	if err != nil {
		return response{}, err
	}
	n, err := strconv.ParseUint(id, 10, 64)
	return created(map[string]uint64{"id": n}, err)
}
