package response

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestForms: what names say, however they are spelt, and names of data that say nothing.
func TestForms(t *testing.T) {
	tests := []struct {
		kind  IndicatorKind
		names string
	}{
		{NextPage, "next next_page nextPage NextPage next-page nextpage NEXT_PAGE next_link nextLink @odata.nextLink @nextLink odata.nextLink @iot.nextLink hydra:next __next _next " +
			"next_url nextUrl nextURL next_page_url nextPageUrl nextPageURL nextRecordsUrl next_page_uri nextPageLink next_cursor nextCursor next_cursor_token " +
			"next_token nextToken NextToken next_page_token nextPageToken NextMarker next_marker NextContinuationToken nextPageStart next_start next_offset nextPageKey next_results next_page_number " +
			"continuation continuationToken continuation_token starting_after startingAfter continue offset"},
		{MorePages, "has_more hasMore HasMore has_next hasNext has_next_page hasNextPage has_more_items hasMoreResults more_records moreResults more_items_in_collection more_available more IsTruncated truncated exceededTransferLimit"},
		{LastPage, "is_last isLast is_last_page isLastPage end_of_stream endOfRecords lastPage last"},
		{TotalRows, "total Total total_count totalCount totalResults total_results totalElements totalItems total_items totalRecords numFound @odata.count __count"},
		{0, "next_billing_date nextBillingDate next_run nextRunAt next_episode nextepisode nexts nextSyncToken nextSyncCursor next_event next_payment_attempt next_action next_invoice_sequence next_check next_status " +
			"has_more_info has_children hasNextAction has moreover more_info morePhotos islands isLastName last_page_views lastModified total_price totalTax total_spent total_amount " +
			"count size @odata.deltaLink @odata.context cursor after page pageToken previous prev total_pages next_42 ÄÖÜ  _ " + strings.Repeat("next", 20)},
	}
	for _, tt := range tests {
		for _, name := range append(strings.Fields(tt.names), strings.ToUpper(strings.Fields(tt.names)[0])) {
			if got := formOf([]byte(name)).kind; got != tt.kind {
				t.Errorf("%q is of the kind %d, want %d", name, got, tt.kind)
			}
		}
	}
}

// TestGroupNames: objects in which APIs put what they say about pages.
func TestGroupNames(t *testing.T) {
	for name, want := range map[string]bool{
		"links": true, "_links": true, "paging": true, "pagination": true, "pagination_info": true, "pager": true, "page": true, "pages": true, "pageInfo": true, "page_info": true,
		"meta": true, "_meta": true, "metadata": true, "response_metadata": true, "responseMetaData": true, "ResponseMetadata": true, "search_metadata": true, "listMetadata": true,
		"result_info": true, "cursor": true, "cursors": true, "info": true, "additional_data": true, "hydra:view": true, "continue": true,
		"user": false, "page_title": false, "linked": false, "information": false, "contact_info": false, "": false, "metal": false,
	} {
		if got := AboutPages([]byte(name)); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestNamesOnThePage reads the table in docs/understand/faults.md: each name in it is known,
// as what the table says.
func TestNamesOnThePage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/understand/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "### Well-known members")
	part, _, _ := strings.Cut(rest, "\n## ")
	kinds := map[string]IndicatorKind{"the next page": NextPage, "there are more": MorePages, "there are none": LastPage, "rows in all": TotalRows}
	for meaning, kind := range kinds {
		_, row, _ := strings.Cut(part, "\n| "+meaning)
		row, _, _ = strings.Cut(row, "\n")
		columns := strings.Split(row, " | ")
		if len(columns) < 2 {
			t.Fatalf("no row %q", meaning)
		}
		for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(columns[1], -1) {
			if got := formOf([]byte(match[1])).kind; got != kind {
				t.Errorf("%s is of the kind %d, want %d", match[1], got, kind)
			}
		}
	}
}
