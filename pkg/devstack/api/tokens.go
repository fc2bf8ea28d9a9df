package api

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
}

type owner struct {
	ID                  int      `json:"id"`
	Name                string   `json:"name"`
	Features            []string `json:"features"`
	Region              string   `json:"region"`
	DefaultBackend      string   `json:"defaultBackend"`
	FileStorageProvider string   `json:"fileStorageProvider"`
	Limits              struct{} `json:"limits"`
}

func (s *server) verifyToken(*http.Request) (answer, error) {
	return ok(tokenRecord{
		ID: tokenID, Description: tokenDescription,
		Created: storageTime(s.started), Refreshed: storageTime(s.started),
		IsMasterToken: true, CanManageBuckets: true, CanReadAllFileUploads: true, CanPurgeTrash: true, CanCreateJobs: true,
		ComponentAccess: []string{},
		Owner: owner{
			ID: projectID, Name: projectName, Features: []string{},
			Region: "local", DefaultBackend: "local", FileStorageProvider: "local",
		},
	}, nil)
}

type branchRecord struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Created     string  `json:"created"`
	IsDefault   bool    `json:"isDefault"`
	Creator     creator `json:"creatorToken"`
}

func (s *server) listBranches(*http.Request) (answer, error) {
	return ok([]branchRecord{{
		ID: branchID, Name: branchName, Created: storageTime(s.started), IsDefault: true, Creator: creatorToken(),
	}}, nil)
}

func creatorToken() creator {
	return creator{ID: 1, Description: tokenDescription}
}

// createTicket returns an id from the sequence of all ids.
func (s *server) createTicket(*http.Request) (answer, error) {
	id, err := s.Store.NewID()
	if err != nil {
		return answer{}, err
	}
	n, err := strconv.ParseUint(id, 10, 64)
	return created(map[string]uint64{"id": n}, err)
}
