package functional

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// service is a response in the shape of a well-known service.
type service struct {
	// name is the name of the service, source the page of its documentation with the shape.
	name, source string
	data         string // dataField
	format       string // "" for JSON
	header       string // "Name: value", "" for none
	body         string
	// place is the part of the response that the finding must name, "" for no finding.
	place string
}

// withMore are first pages: each has more data than the response holds.
var withMore = []service{
	{"Pipedrive v2", "Pipedrive docs, Core API concepts: Pagination", "data", "", "", `{"success":true,"data":[{"id":1}],"additional_data":{"next_cursor":"eyJhIjoxfQ"}}`, "'additional_data.next_cursor'"},
	{"Pipedrive v1", "Pipedrive docs, Core API concepts: Pagination", "data", "", "", `{"data":[{"id":1}],"additional_data":{"pagination":{"start":0,"limit":1,"more_items_in_collection":true,"next_start":1}}}`, "'additional_data.pagination.next_start'"},
	{"HubSpot", "HubSpot docs, CRM objects v3", "results", "", "", `{"results":[{"id":"51"}],"paging":{"next":{"after":"NTI=","link":"?after=NTI="}}}`, "'paging.next.after'"},
	{"Slack", "Slack docs, Pagination", "members", "", "", `{"ok":true,"members":[{"id":"W1"}],"response_metadata":{"next_cursor":"dXNlcjpX"}}`, "'response_metadata.next_cursor'"},
	{"Stripe", "Stripe API reference, Pagination", "data", "", "", `{"object":"list","url":"/v1/customers","has_more":true,"data":[{"id":"cus_1"}]}`, "'has_more'"},
	{"Notion", "Notion API reference, Pagination", "results", "", "", `{"object":"list","results":[{"id":"a"}],"next_cursor":"33e1","has_more":true}`, "'next_cursor'"},
	{"Jira boards", "Jira Software Cloud REST, Board", "values", "", "", `{"maxResults":1,"startAt":0,"total":5,"isLast":false,"values":[{"id":1}]}`, "'isLast'"},
	{"Jira search", "Jira Cloud REST v2, Issue search", "issues", "", "", `{"expand":"names","startAt":0,"maxResults":2,"total":25,"issues":[{"id":"1"},{"id":"2"}]}`, "'total'"},
	{"Confluence", "Confluence Cloud REST, Content", "results", "", "", `{"results":[{"id":"1"}],"start":0,"limit":1,"size":1,"_links":{"base":"https://x.test/wiki","next":"/rest/api/content?start=1"}}`, "'_links.next'"},
	{"Zoho CRM", "Zoho CRM API v2, Get records", "data", "", "", `{"data":[{"id":"1"}],"info":{"per_page":1,"count":1,"page":1,"more_records":true}}`, "'info.more_records'"},
	{"Zoho Books", "Zoho Books API, Pagination", "contacts", "", "", `{"code":0,"message":"success","contacts":[{"contact_id":"1"}],"page_context":{"page":1,"per_page":1,"has_more_page":true}}`, "'page_context.has_more_page'"},
	{"Zendesk", "Zendesk docs, Offset pagination", "tickets", "", "", `{"tickets":[{"id":1}],"next_page":"https://x.test/api/v2/tickets.json?page=2","previous_page":null,"count":2}`, "'next_page'"},
	{"Zendesk cursors", "Zendesk docs, Cursor pagination", "users", "", "", `{"users":[{"id":1}],"meta":{"has_more":true,"after_cursor":"x","before_cursor":"y"},"links":{"next":"https://x.test/api/v2/users?page[after]=x","prev":null}}`, "'links.next'"},
	{"Intercom", "Intercom reference, Cursor based pages", "data", "", "", `{"type":"list","data":[{"id":"1"}],"total_count":13,"pages":{"type":"pages","page":1,"next":{"per_page":1,"starting_after":"WzE2"},"per_page":1,"total_pages":13}}`, "'pages.next.starting_after'"},
	{"Microsoft Graph", "Microsoft Graph docs, Paging", "value", "", "", `{"@odata.context":"https://x.test/$metadata#users","@odata.nextLink":"https://x.test/v1.0/users?$skiptoken=1","value":[{"id":"1"}]}`, "'@odata.nextLink'"},
	{"SharePoint", "SharePoint REST, odata=verbose", "d.results", "", "", `{"d":{"results":[{"Id":1}],"__next":"https://x.test/_api/web/lists/items?$skiptoken=Paged"}}`, "'d.__next'"},
	{"OData with a count", "OData 4.01, annotation count", "value", "", "", `{"@odata.context":"$metadata#Products","@odata.count":25,"value":[{"ID":1},{"ID":2}]}`, "'@odata.count'"},
	{"Salesforce", "Salesforce REST API, Query", "records", "", "", `{"totalSize":3214,"done":false,"nextRecordsUrl":"/services/data/v58.0/query/01g-2000","records":[{"Id":"a"}]}`, "'nextRecordsUrl'"},
	{"Airtable", "Airtable Web API, List records", "records", "", "", `{"records":[{"id":"rec1"}],"offset":"itrX/recY"}`, "'offset'"},
	{"Google Drive", "Google Drive API v3, files.list", "files", "", "", `{"kind":"drive#fileList","nextPageToken":"~!!~AI9","incompleteSearch":false,"files":[{"id":"1"}]}`, "'nextPageToken'"},
	{"YouTube", "YouTube Data API, search.list", "items", "", "", `{"kind":"x","nextPageToken":"CAUQAA","pageInfo":{"totalResults":1000000,"resultsPerPage":1},"items":[{"id":"1"}]}`, "'nextPageToken'"},
	{"GitHub GraphQL", "GitHub GraphQL docs, Pagination", "data.viewer.repositories.nodes", "", "", `{"data":{"viewer":{"repositories":{"nodes":[{"id":"1"}],"pageInfo":{"endCursor":"Y3Vyc29y","hasNextPage":true}}}}}`, "'data.viewer.repositories.pageInfo.hasNextPage'"},
	{"GitHub REST", "GitHub REST docs, Pagination", "", "", `Link: <https://x.test/user/repos?page=2>; rel="next", <https://x.test/user/repos?page=3>; rel="last"`, `[{"id":1}]`, "the header Link"},
	{"Shopify REST", "Shopify docs, REST pagination", "products", "", `Link: <https://x.test/admin/products.json?page_info=h>; rel="next"`, `{"products":[{"id":1}]}`, "the header Link"},
	{"Shopify GraphQL", "Shopify docs, GraphQL pagination", "data.products.edges", "", "", `{"data":{"products":{"edges":[{"cursor":"e","node":{"id":"1"}}],"pageInfo":{"hasNextPage":true,"hasPreviousPage":false}}},"extensions":{"cost":{"requestedQueryCost":3}}}`, "'data.products.pageInfo.hasNextPage'"},
	{"Amazon ECS", "AWS API reference, ListClusters", "clusterArns", "", "", `{"clusterArns":[{"arn":"a"}],"nextToken":"token"}`, "'nextToken'"},
	{"AWS Systems Manager", "AWS API reference, DescribeParameters", "Parameters", "", "", `{"NextToken":"AAEA","Parameters":[{"Name":"a"}]}`, "'NextToken'"},
	{"Amazon S3", "AWS API reference, ListObjectsV2", "Contents", "xml", "", `<ListBucketResult><Name>b</Name><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents></ListBucketResult>`, "'IsTruncated'"},
	{"Elasticsearch", "Elasticsearch guide, Search API", "hits.hits", "", "", `{"took":5,"timed_out":false,"hits":{"total":{"value":25,"relation":"eq"},"max_score":1,"hits":[{"_id":"0"}]}}`, "'hits.total.value'"},
	{"Solr", "Solr reference guide, Response writers", "response.docs", "", "", `{"responseHeader":{"status":0,"QTime":1,"params":{"q":"*:*","rows":"1"}},"response":{"numFound":25,"start":0,"docs":[{"id":"1"}]}}`, "'response.numFound'"},
	{"WordPress", "WordPress REST handbook, Pagination", "", "", "X-WP-Total: 25", `[{"id":1}]`, "the header X-WP-Total"},
	{"Bitbucket Server", "Bitbucket Data Center REST, Paged APIs", "values", "", "", `{"size":1,"limit":1,"isLastPage":false,"values":[{"id":1}],"start":0,"filter":null,"nextPageStart":1}`, "'nextPageStart'"},
	{"Bitbucket Cloud", "Bitbucket Cloud REST, Pagination", "values", "", "", `{"size":142,"page":1,"pagelen":1,"next":"https://x.test/2.0/repositories?page=2","values":[{"uuid":"1"}]}`, "'next'"},
	{"Twilio", "Twilio docs, Paging of 2010-04-01", "messages", "", "", `{"page":0,"page_size":1,"uri":"/Messages.json","next_page_uri":"/Messages.json?Page=1","previous_page_uri":null,"messages":[{"sid":"SM1"}]}`, "'next_page_uri'"},
	{"Twilio v1", "Twilio docs, Paging", "services", "", "", `{"services":[{"sid":"IS1"}],"meta":{"page":0,"page_size":1,"key":"services","next_page_url":"https://x.test/v1/Services?Page=1"}}`, "'meta.next_page_url'"},
	{"Asana", "Asana docs, Pagination", "data", "", "", `{"data":[{"gid":"1"}],"next_page":{"offset":"eyJ0","path":"/tasks?offset=eyJ0","uri":"https://x.test/tasks?offset=eyJ0"}}`, "'next_page.offset'"},
	{"Box", "Box developer docs, Marker-based pagination", "entries", "", "", `{"entries":[{"id":"1"}],"limit":1,"next_marker":"JFqwe"}`, "'next_marker'"},
	{"Typeform", "Typeform Responses API", "items", "", "", `{"total_items":25,"page_count":3,"items":[{"token":"a"}]}`, "'total_items'"},
	{"Spotify", "Spotify Web API, Get playlist", "tracks.items", "", "", `{"id":"37i9","name":"Mix","tracks":{"href":"https://x.test","limit":1,"next":"https://x.test/tracks?offset=1","offset":0,"previous":null,"total":4,"items":[{"id":"1"}]}}`, "'tracks.next'"},
	{"Facebook Graph", "Graph API docs, Paginated results", "data", "", "", `{"data":[{"id":"1"}],"paging":{"cursors":{"after":"MT","before":"ND"},"next":"https://x.test/me/albums?after=MT"}}`, "'paging.next'"},
	{"PagerDuty", "PagerDuty docs, Pagination", "incidents", "", "", `{"incidents":[{"id":"P1"}],"limit":1,"offset":0,"more":true,"total":null}`, "'more'"},
	{"Kubernetes", "Kubernetes API concepts, Chunks", "items", "", "", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10245","continue":"ENCODED","remainingItemCount":753},"items":[{"name":"a"}]}`, "'metadata.continue'"},
	{"MediaWiki", "MediaWiki API:Continue", "query.allpages", "", "", `{"batchcomplete":"","continue":{"apcontinue":"B","continue":"-||"},"query":{"allpages":[{"pageid":1}]}}`, "'continue.continue'"},
	{"Laravel", "Laravel docs, API resources: Pagination", "data", "", "", `{"data":[{"id":1}],"links":{"first":"https://x.test/users?page=1","last":"https://x.test/users?page=2","prev":null,"next":"https://x.test/users?page=2"},"meta":{"current_page":1,"last_page":2,"links":[{"url":null,"label":"1","active":true}],"total":2}}`, "'links.next'"},
	{"Django REST framework", "Django REST framework, Pagination", "results", "", "", `{"count":1023,"next":"https://x.test/accounts/?page=2","previous":null,"results":[{"id":1}]}`, "'next'"},
	{"Klaviyo", "Klaviyo docs, JSON:API", "data", "", "", `{"data":[{"type":"profile","id":"1","links":{"self":"https://x.test/1"}}],"links":{"self":"https://x.test/p","next":"https://x.test/p?page[cursor]=b","prev":null}}`, "'links.next'"},
	{"ArcGIS", "ArcGIS REST, Query of a feature service", "features", "", "", `{"objectIdFieldName":"OBJECTID","fields":[{"name":"OBJECTID"}],"exceededTransferLimit":true,"features":[{"attributes":{"OBJECTID":1}}]}`, "'exceededTransferLimit'"},
	{"Spring Data", "Spring Data, Page", "content", "", "", `{"content":[{"id":1}],"pageable":{"pageNumber":0,"pageSize":1},"last":false,"totalElements":25,"totalPages":25,"first":true,"numberOfElements":1}`, "'last'"},
	{"Hydra", "API Platform docs, Pagination", "hydra:member", "", "", `{"@id":"/books","hydra:totalItems":2,"hydra:member":[{"@id":"/books/1"}],"hydra:view":{"@id":"/books?page=1","hydra:first":"/books?page=1","hydra:next":"/books?page=2"}}`, "'hydra:view.hydra:next'"},
}

// withoutMore hold all there is, or a part that was requested: nothing may be found.
var withoutMore = []service{
	{"Pipedrive v2, last page", "Pipedrive docs, Core API concepts: Pagination", "data", "", "", `{"success":true,"data":[{"id":1}],"additional_data":{"next_cursor":null}}`, ""},
	{"Pipedrive v1, last page", "Pipedrive docs, Core API concepts: Pagination", "data", "", "", `{"data":[{"id":1}],"additional_data":{"pagination":{"start":0,"limit":100,"more_items_in_collection":false}}}`, ""},
	{"HubSpot, last page", "HubSpot docs, CRM objects v3", "results", "", "", `{"results":[{"id":"51","properties":{"hs_next_step":"call","next_activity_date":"2026-02-01"}}]}`, ""},
	{"Slack, last page", "Slack docs, Pagination", "members", "", "", `{"ok":true,"members":[{"id":"W1"}],"cache_ts":1498777272,"response_metadata":{"next_cursor":""}}`, ""},
	{"Stripe, last page", "Stripe API reference, Pagination", "data", "", "", `{"object":"list","url":"/v1/subscriptions","has_more":false,"data":[{"id":"sub_1","next_pending_invoice_item_invoice":null,"items":{"object":"list","data":[{"id":"si_1"}],"has_more":false,"url":"/v1/subscription_items"}}]}`, ""},
	{"Notion, last page", "Notion API reference, Pagination", "results", "", "", `{"object":"list","results":[{"id":"a","has_children":true}],"next_cursor":null,"has_more":false}`, ""},
	{"Jira boards, last page", "Jira Software Cloud REST, Board", "values", "", "", `{"maxResults":50,"startAt":0,"total":1,"isLast":true,"values":[{"id":1}]}`, ""},
	{"Jira changelog of all", "Jira Cloud REST v2, Issue search", "issues", "", "", `{"startAt":0,"maxResults":50,"total":1,"issues":[{"id":"1","changelog":{"startAt":0,"maxResults":1,"total":1,"histories":[{"id":"7"}]}}]}`, ""},
	{"Zoho CRM, last page", "Zoho CRM API v2, Get records", "data", "", "", `{"data":[{"id":"1"}],"info":{"per_page":200,"count":1,"page":1,"more_records":false}}`, ""},
	{"Zoho Books, last page", "Zoho Books API, Pagination", "contacts", "", "", `{"code":0,"contacts":[{"contact_id":"1"}],"page_context":{"page":2,"per_page":25,"has_more_page":false}}`, ""},
	{"Zendesk, last page", "Zendesk docs, Offset pagination", "tickets", "", "", `{"tickets":[{"id":1}],"next_page":null,"previous_page":null,"count":1}`, ""},
	{"Zendesk cursors, last page", "Zendesk docs, Cursor pagination", "users", "", "", `{"users":[{"id":1}],"meta":{"has_more":false,"after_cursor":"x"},"links":{"next":"https://x.test/api/v2/users?page[after]=x"}}`, ""},
	{"Intercom, last page", "Intercom reference, Cursor based pages", "data", "", "", `{"type":"list","data":[{"id":"1"}],"total_count":1,"pages":{"type":"pages","page":1,"per_page":50,"total_pages":1}}`, ""},
	{"Microsoft Graph, last page with a delta", "Microsoft Graph docs, Delta query", "value", "", "", `{"@odata.context":"$metadata#users","@odata.deltaLink":"https://x.test/users/delta?$deltatoken=1","value":[{"id":"1"}]}`, ""},
	{"SharePoint, last page", "SharePoint REST, odata=verbose", "d.results", "", "", `{"d":{"results":[{"Id":1,"Next":"B"}]}}`, ""},
	{"Salesforce, all records", "Salesforce REST API, Query", "records", "", "", `{"totalSize":1,"done":true,"records":[{"Id":"a","attributes":{"type":"Account","url":"/services/a"},"NextStep":"call"}]}`, ""},
	{"Airtable, last page", "Airtable Web API, List records", "records", "", "", `{"records":[{"id":"rec1"}]}`, ""},
	{"Google Calendar, last page", "Google Calendar API, events.list", "items", "", "", `{"kind":"calendar#events","summary":"me","timeZone":"Europe/Prague","nextSyncToken":"CPDAlvWDx70C","items":[{"id":"1"}]}`, ""},
	{"GitHub GraphQL, last page", "GitHub GraphQL docs, Pagination", "data.viewer.repositories.nodes", "", "", `{"data":{"viewer":{"repositories":{"nodes":[{"id":"1"}],"pageInfo":{"endCursor":"Y3Vyc29y","hasNextPage":false}}}}}`, ""},
	{"GitHub GraphQL, another list has more", "GitHub GraphQL docs, Pagination", "data.viewer.issues.nodes", "", "", `{"data":{"viewer":{"issues":{"nodes":[{"id":"1"}],"pageInfo":{"hasNextPage":false}},"stars":{"nodes":[{"id":"2"}],"pageInfo":{"hasNextPage":true}}}}}`, ""},
	{"GitHub REST, last page", "GitHub REST docs, Pagination", "", "", `Link: <https://x.test/user/repos?page=1>; rel="prev", <https://x.test/user/repos?page=1>; rel="first"`, `[{"id":1}]`, ""},
	{"Shopify orders", "Shopify docs, Order", "orders", "", "", `{"orders":[{"id":1,"currency":"USD","total_price":"409.94","subtotal_price":"397.00","total_tax":"11.94"}]}`, ""},
	{"Elasticsearch, all hits", "Elasticsearch guide, Search API", "hits.hits", "", "", `{"_scroll_id":"DXF1ZXJ5","took":5,"_shards":{"total":5,"successful":5,"skipped":0,"failed":0},"hits":{"total":{"value":1,"relation":"eq"},"hits":[{"_id":"0"}]}}`, ""},
	{"WordPress, all posts", "WordPress REST handbook, Pagination", "", "", "X-WP-Total: 1", `[{"id":1,"_links":{"next":[{"href":"https://x.test"}]}}]`, ""},
	{"Bitbucket Server, last page", "Bitbucket Data Center REST, Paged APIs", "values", "", "", `{"size":1,"limit":25,"isLastPage":true,"values":[{"id":1}],"start":0}`, ""},
	{"Asana, last page", "Asana docs, Pagination", "data", "", "", `{"data":[{"gid":"1"}],"next_page":null}`, ""},
	{"Box, last page", "Box developer docs, Marker-based pagination", "entries", "", "", `{"entries":[{"id":"1","sequence_id":"3"}],"limit":100,"next_marker":""}`, ""},
	{"Facebook Graph, last page", "Graph API docs, Paginated results", "data", "", "", `{"data":[{"id":"1"}],"paging":{"cursors":{"after":"MT","before":"ND"}}}`, ""},
	{"PagerDuty, last page", "PagerDuty docs, Pagination", "incidents", "", "", `{"incidents":[{"id":"P1"}],"limit":25,"offset":0,"more":false,"total":null}`, ""},
	{"Kubernetes, last chunk", "Kubernetes API concepts, Chunks", "items", "", "", `{"kind":"PodList","metadata":{"resourceVersion":"10245","continue":""},"items":[{"metadata":{"name":"a"}}]}`, ""},
	{"Laravel, last page", "Laravel docs, API resources: Pagination", "data", "", "", `{"data":[{"id":1}],"links":{"first":"https://x.test/users?page=1","last":"https://x.test/users?page=1","prev":null,"next":null},"meta":{"current_page":1,"last_page":1,"total":1}}`, ""},
	{"Spring Data, last page", "Spring Data, Page", "content", "", "", `{"content":[{"id":1}],"last":true,"first":false,"totalElements":1,"totalPages":1}`, ""},
	{"Trello", "Trello REST, Boards of a member", "", "", "", `[{"id":"5abb","idOrganization":null,"nextCheckItem":"x","pinned":false}]`, ""},
	{"Dropbox, last page", "Dropbox HTTP docs, files/list_folder", "entries", "", "", `{"entries":[{"id":"a"}],"cursor":"ZtkX9","has_more":false}`, ""},
	{"TVmaze, episodes", "TVmaze API, Show embedding", "_embedded.episodes", "", "", `{"id":1,"name":"Show","_links":{"self":{"href":"https://x.test/shows/1"},"previousepisode":{"href":"https://x.test/episodes/1"},"nextepisode":{"href":"https://x.test/episodes/2"}},"_embedded":{"episodes":[{"id":1}]}}`, ""},
	{"Recurly, subscriptions with billing dates", "Recurly docs, Subscription", "data", "", "", `{"object":"list","has_more":false,"next":null,"data":[{"id":"a","next_bill_date":"2026-02-01","has_more_info":true}]}`, ""},
	{"an invoice with lines", "Xero and FreshBooks, Invoice", "invoice.lines", "", "", `{"invoice":{"id":"7","currency_code":"EUR","amount":120.5,"subtotal":100,"tax":20.5,"total":12050,"next_reminder":"2026-02-01","next_billing_date":"2026-03-01","lines":[{"id":1},{"id":2}]}}`, ""},
	{"a cart with its total", "commercetools and Medusa, Cart", "items", "", "", `{"id":"cart","currency":"EUR","total":4500,"items":[{"sku":"a"}],"next":{"step":"payment","label":"Pay"}}`, ""},
	{"a chapter of a linked list", "catalogues of books and lessons", "paragraphs", "", "", `{"id":12,"title":"Two","previous":11,"next":13,"paragraphs":[{"text":"a"}]}`, ""},
	{"an episode and the one after it", "podcast and television services", "episodes", "", "", `{"episodes":[{"id":4}],"next":{"id":5,"name":"The next one","airs_at":"2026-02-01"},"user":{"next":"coffee break"}}`, ""},
	{"a schedule", "cron and billing services", "runs", "", "", `{"runs":[{"id":1}],"next_run":"2026-02-01T00:00:00Z","next":"2026-02-01T00:00:00Z","schedule":{"next_start":"2026-02-01","offset":"+01:00"}}`, ""},
	{"the request repeated", "Algolia and others, params in the response", "hits", "", "", `{"hits":[{"objectID":"1"}],"offset":"20","params":{"next_token":"abc","has_more":true},"query":{"continuation":"x"}}`, ""},
	{"a flag at the top of an item", "Freshchat and others", "threads", "", "", `{"threads":[{"id":1,"has_more":true,"messages":[{"id":2}],"user":{"hasNextPage":true,"name":"a"}}]}`, ""},
}

// TestServices: what the responses of well-known services say about more data is found,
// and nothing is found that they do not say. The jobs have no paging.
func TestServices(t *testing.T) {
	if len(withMore) < 30 || len(withoutMore) < 30 {
		t.Fatal("the tables are too short")
	}
	t.Run("with more", func(t *testing.T) { runServices(t, withMore) })
	t.Run("without more", func(t *testing.T) { runServices(t, withoutMore) })
}

// runServices runs a job for each service and compares what is found.
func runServices(t *testing.T, services []service) {
	t.Parallel()
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var number int
		if _, err := fmt.Sscanf(r.URL.Path, "/s%d", &number); err != nil || number >= len(services) {
			http.NotFound(out, r)
			return
		}
		s := services[number]
		if name, value, ok := strings.Cut(s.header, ": "); ok {
			out.Header().Set(name, value)
		}
		write(out, s.body)
	}))
	var jobs []map[string]any
	for i, s := range services {
		job := map[string]any{"endpoint": fmt.Sprintf("s%d", i), "dataType": fmt.Sprintf("t%d", i), "dataField": s.data}
		if s.format != "" {
			job["response"] = map[string]any{"format": s.format}
		}
		jobs = append(jobs, job)
	}
	config, err := json.Marshal(map[string]any{"api": map[string]any{"baseUrl": "http://api.test/"}, "config": map[string]any{"jobs": jobs}})
	if err != nil {
		t.Fatal(err)
	}
	got := w.runs(t, string(config))
	if got.exit != 0 {
		t.Fatalf("exit %d: %s", got.exit, got.stderr)
	}
	found := map[string][]string{}
	for _, e := range got.events(t) {
		if job, ok := e["job"].(string); ok && e["level"] == "warn" {
			found[job] = append(found[job], fmt.Sprint(e["event"], " ", e["place"]))
		}
	}
	for i, s := range services {
		want := ""
		if s.place != "" {
			want = "paging.unread " + s.place
		}
		if got := strings.Join(found[fmt.Sprintf("s%d", i)], "; "); got != want {
			t.Errorf("%s (%s):\ngot  %s\nwant %s", s.name, s.source, got, want)
		}
	}
}
