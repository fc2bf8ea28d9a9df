package goclient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keboola/go-client/pkg/keboola"
)

// unload exports the table with the rows 1 /v1/one and 2 /v1/three, previews a part
// of it, and manages files and buckets.
func unload(ctx context.Context, t *testing.T, api *keboola.AuthorizedAPI, key keboola.TableKey) {
	t.Helper()
	preview, err := api.PreviewTableRequest(key, keboola.WithWhere("path", keboola.CompareNe, []string{"/v1/one"}),
		keboola.WithWhere("id", keboola.CompareGt, []int{1}, keboola.TypeInteger), keboola.WithOrderBy("id", keboola.OrderDesc),
		keboola.WithChangedSince("-1 hour"), keboola.WithExportColumns("path"), keboola.WithLimitRows(5)).Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(preview.Columns, preview.Rows), "[path] [[/v1/three]]"; got != want {
		t.Errorf("preview %s, want %s", got, want)
	}
	exported, err := api.NewTableUnloadRequest(key).WithColumns("id").WithOrderBy("id", keboola.OrderDesc).WithLimitRows(10).
		WithFormat(keboola.UnloadFormatCSV).SendAndWait(ctx, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	file, err := api.GetFileRequest(exported.File.FileKey).Send(ctx)
	if err != nil || file.Name != "in.c-go-client.t.csv" || file.IsSliced {
		t.Fatalf("file %+v, %v", file, err)
	}
	response, err := http.Get(file.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "\"id\"\n\"2\"\n\"1\"\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if _, err := api.GetFileWithCredentialsRequest(exported.File.FileKey).Send(ctx); err == nil || !strings.Contains(err.Error(), "federationToken") {
		t.Errorf("credentials: %v", err)
	}
	if files, err := api.ListFilesRequest(key.BranchID).Send(ctx); err != nil || len(*files) != 1 {
		t.Errorf("files %+v, %v", files, err)
	}
	if _, err := api.DeleteFileRequest(exported.File.FileKey).Send(ctx); err != nil {
		t.Error(err)
	}
	bucket := &keboola.Bucket{BucketKey: keboola.BucketKey{BranchID: key.BranchID, BucketID: keboola.MustParseBucketID("out.c-mine")}, Description: "my own"}
	if made, err := api.CreateBucketRequest(bucket).Send(ctx); err != nil || made.Description != "my own" {
		t.Errorf("bucket %+v, %v", made, err)
	}
	job, err := api.DeleteBucketAsyncRequest(bucket.BucketKey, keboola.WithForce()).Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := api.WaitForStorageJob(ctx, job); err != nil {
		t.Error(err)
	}
}
