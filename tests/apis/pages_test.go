package apis

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

const pages = "../../docs/apis"

// sections are the headings of every page, in their order.
var sections = []string{"What you need", "Run it", "The configuration", "The tables", "Incremental runs", "Limits", "What it does not cover", "Facts"}

var (
	heading = regexp.MustCompile("(?m)^## (.*)$")
	config  = regexp.MustCompile("(?ms)^```json file=config.json\n(.*?)^```\n")
	list    = regexp.MustCompile(`(?ms)^\| table \| columns \| primary key \|\n.*?\n\n`)
)

// TestPages: each API has a page with the same sections, its configuration and the
// commands to run it.
func TestPages(t *testing.T) {
	for _, api := range gallery.All() {
		t.Run(api.Name, func(t *testing.T) {
			page := rewrite(t, api.Name, config, "```json file=config.json\n"+string(api.Config)+"```\n")
			var headings []string
			for _, m := range heading.FindAllStringSubmatch(page, -1) {
				headings = append(headings, m[1])
			}
			if !slices.Equal(headings, sections) {
				t.Errorf("sections %q, want %q", headings, sections)
			}
			for _, needed := range []string{
				"# " + api.Title + "\n",
				"(" + api.Documentation + ")",
				"extractor init --api " + api.Name + " --out " + api.Name + "/config.json\n",
				"extractor validate " + api.Name + "\n",
				"extractor run " + api.Name + "\n",
				"](README.md)",
			} {
				if !strings.Contains(page, needed) {
					t.Errorf("the page lacks %q", needed)
				}
			}
			if api.Version != "" && !strings.Contains(page, api.Version) {
				t.Errorf("the page does not name the version %s", api.Version)
			}
			for secret := range secretsOf(t, api.Config) {
				if !strings.Contains(page, "`"+secret+"`") {
					t.Errorf("the page does not say what %s is", secret)
				}
			}
		})
	}
}

// pageShows: the page lists the tables of a run with their columns.
func pageShows(t *testing.T, name, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "out", "tables", "*.manifest"))
	if err != nil {
		t.Fatal(err)
	}
	text := "| table | columns | primary key |\n|---|---|---|\n"
	for _, path := range paths {
		path = strings.TrimSuffix(path, ".manifest")
		table, err := readTable(path)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("| `%s` | %s | %s |\n", filepath.Base(path), strings.Join(table.columns, ", "), strings.Join(table.primaryKey, ", "))
	}
	rewrite(t, name, list, text+"\n")
}

// rewrite compares the only match in a page, or replaces it with -update. It returns the
// page.
func rewrite(t *testing.T, name string, part *regexp.Regexp, want string) string {
	t.Helper()
	path := filepath.Join(pages, name+".md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := part.FindAllIndex(page, -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d parts like %s, want one", path, len(found), part)
	}
	next := slices.Concat(page[:found[0][0]], []byte(want), page[found[0][1]:])
	golden.File(t, path, string(next))
	return string(next)
}

// secretsOf are the # keys of the section config.
func secretsOf(t *testing.T, config []byte) object {
	t.Helper()
	var doc struct {
		Parameters struct{ Config object }
	}
	if err := json.Unmarshal(config, &doc); err != nil {
		t.Fatal(err)
	}
	secrets := object{}
	for name, v := range doc.Parameters.Config {
		if strings.HasPrefix(name, "#") {
			secrets[name] = v
		}
	}
	return secrets
}

// TestMocked: each API of the gallery has a mock server, and so has no other.
func TestMocked(t *testing.T) {
	all := gallery.All()
	for _, api := range all {
		if mockServers[api.Name] == nil {
			t.Errorf("%s has no mock server", api.Name)
		}
	}
	if len(mockServers) != len(all) {
		t.Errorf("there are %d mock servers for %d APIs", len(mockServers), len(all))
	}
}

// TestAPIs runs every configuration against its mock server.
func TestAPIs(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(mockServers)) {
		if !slowtest.ShortTurn(i, 9) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(large, name) {
				slowtest.OutsideCI(t, "its pages are as large as those of the API")
			}
			check(t, name, mockServers[name])
		})
	}
}

// large are the APIs with pages of many thousand rows.
var large = []string{"google-analytics", "google-search-console", "linkedin-ads", "netsuite"}

// mockServers are the constructors by their names in the gallery.
var mockServers = map[string]func(*world) mockServer{
	"airtable":              newAirtable,
	"amazon-sp-api":         newAmazonSPAPI,
	"asana":                 newAsana,
	"bigcommerce":           newBigCommerce,
	"clickup":               newClickUp,
	"chargebee":             newChargebee,
	"dataverse":             newDataverse,
	"ecb":                   newECB,
	"elasticsearch":         newElasticsearch,
	"freshdesk":             newFreshdesk,
	"facebook-ads":          newFacebookAds,
	"github":                newGitHub,
	"gitlab":                newGitLab,
	"google-ads":            newGoogleAds,
	"google-analytics":      newGoogleAnalytics,
	"google-calendar":       newGoogleCalendar,
	"google-search-console": newSearchConsole,
	"google-sheets":         newGoogleSheets,
	"greenhouse":            newGreenhouse,
	"hubspot":               newHubSpot,
	"intercom":              newIntercom,
	"jira":                  newJira,
	"klaviyo":               newKlaviyo,
	"linear":                newLinear,
	"linkedin-ads":          newLinkedinAds,
	"mailchimp":             newMailchimp,
	"marketo":               newMarketo,
	"microsoft-graph":       newMicrosoftGraph,
	"mixpanel":              newMixpanel,
	"monday":                newMonday,
	"netsuite":              newNetsuite,
	"notion":                newNotion,
	"okta":                  newOkta,
	"open-meteo":            newOpenMeteo,
	"pinterest":             newPinterest,
	"pipedrive":             newPipedrive,
	"quickbooks":            newQuickbooks,
	"salesforce":            newSalesforce,
	"salesforce-bulk":       newSalesforceBulk,
	"servicenow":            newServicenow,
	"shopify":               newShopify,
	"shopify-graphql":       newShopifyGraphQL,
	"slack":                 newSlack,
	"socrata":               newSocrata,
	"stripe":                newStripe,
	"tiktok-ads":            newTiktokAds,
	"twilio":                newTwilio,
	"workday":               newWorkday,
	"xero":                  newXero,
	"zendesk":               newZendesk,
}
