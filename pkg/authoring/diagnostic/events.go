package diagnostic

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// EventEntry is the catalogue entry of a kind of event.
type EventEntry struct {
	event.Body
	Title string // the occurrence in a few words
	Fix   string // advice
}

// nothing is the advice for an event that only reports progress.
const nothing = "Nothing."

// eventTexts returns the title and the advice of each kind of event.
func eventTexts() map[string][2]string {
	return map[string][2]string{
		"log.unreached":        {"The log server of the platform cannot be used, so the events go to standard output", "Set the logging of the component to gelf over tcp (docs/how-to/platform.md#logging), or remove KBC_LOGGER_ADDR and KBC_LOGGER_PORT."},
		"run.started":          {"The configuration is valid, and the run begins", nothing},
		"variables.replaced":   {"Variables of the configuration were replaced by their values", "If a value is unexpected, look at its source: --var takes precedence over variableValuesData, the job and the stored rows."},
		"config.warning":       {"The configuration has a problem that does not stop the run", "Look at the setting that the pointer names. 'extractor validate' shows its line, and a code to explain."},
		"state.warning":        {"The state of the previous run could not be used", "The run starts as if it were the first one, and may load data again. Restore in/state.json, or remove it."},
		"state.reused":         {"The run continues after the last one in its data directory", "Start it with --full to load everything again."},
		"state.read":           {"An earlier run stored this value", "Start the run with --full to forget it."},
		"login.done":           {"A login succeeded", nothing},
		"state.unsaved":        {"New credentials of a login were not stored, so the next login may fail", "Let the platform forward its token to the component (docs/reference/platform-api.md#storing-credentials-during-a-run). If the next login fails, enter new credentials."},
		"request.sent":         {"A request was sent (config.debug)", nothing},
		"request.answered":     {"A response has arrived, or a request has failed without one (config.debug)", "If the event has no status, its error says what happened to the connection."},
		"request.retried":      {"A request failed and is sent again after a wait", "A few retries are normal. If there are many, lower api.http.concurrency or set api.http.rateLimit."},
		"job.waiting":          {"A result is not ready yet, so the request is repeated (a rule with poll)", "If it takes too long, check the timeout of the rule."},
		"credentials.withheld": {"A response led to another origin, which does not get the credentials", "If the origin may receive them, list it in api.http.trustedOrigins. Otherwise, there is nothing to do."},
		"response.ignored":     {"A response with an error status was used as data (ignoreErrors, or a rule with accept)", "Check whether its rows are data. If not, make the rule match fewer responses."},
		"response.skipped":     {"A rule with skip dropped a response and ended the job", "If rows are missing, make the rule match fewer responses."},
		"job.restarted":        {"A rule with restart started a job again without its remembered values", "Nothing, if the API no longer accepts the value. Otherwise, make the rule match fewer responses."},
		"response.cleaned":     {"Bytes of a response are not valid in its character set, and were replaced or left out", "Set the character set in response.encoding."},
		"window.started":       {"A job requests the next window of its time range", nothing},
		"data.empty":           {"A page has no rows, which is how pagination often ends", "If there should be rows, compare dataField with the response: 'extractor run --record FILE' keeps it."},
		"mapping.warning":      {"A value was stored in another form than its shape suggests", "Look at the column that the message names. A mapping can define what to store."},
		"job.progress":         {"A long job has stored this many pages and rows so far", nothing},
		"job.live":             {"What a job does now, for the web UI of the local platform", nothing},
		"job.finished":         {"A job has fetched its last page. The message says why it ended", "If it ended too early, look at the setting that the pointer names."},
		"job.unfinished":       {"The run failed before this job was finished", "None of its rows are in the tables. Look at run.failed for the reason."},
		"response.errors":      {"A response has a success status, but reports errors and has no data", "Correct the request as the error says, or write a rule for such responses (docs/how-to/errors-in-answers.md)."},
		"paging.stalled":       {"A response announces more pages, but has no value that leads to the next one", "Correct the path of that value in the scroller, or its stop condition."},
		"paging.unread":        {"The last response of a job announces more rows or another page that was not fetched", "Configure a scroller for the job. 'extractor init' recognises most kinds of paging in an example."},
		"paging.repeated":      {"The API sent a page again, so the job ended", "Check the name of the parameter that the scroller sends. Most APIs ignore unknown parameters."},
		"data.missing":         {"dataField leads to nothing, but the responses have lists at other paths", "Set dataField to one of the paths in the message."},
		"job.short":            {"A job has fewer rows or pages than the API announces", "Look at the other warnings of the job first. Then check the limit, the stop condition and responseFilter."},
		"response.delimiter":   {"A CSV response has one column, but another character divides its lines", "Set response.delimiter to the character that the message names, or to \",\" if one column is correct."},
		"items.truncated":      {"A list in an item is incomplete, according to a flag beside it", "Request the rest with a child job, or leave the list out with a mapping."},
		"column.missing":       {"No item has a value at the path of a mapping, but items have a similar name", "Correct the path, or write \"optional\": true beside its mapping."},
		"key.empty":            {"Rows have an empty value in the primary key, so they may replace each other", "Choose a key that every row has, or drop the rows with rowFilter."},
		"warnings.omitted":     {"A job has more warnings of one kind than are shown", "Look at the first warnings of that kind. The report of the run (--report) has the numbers."},
		"table.written":        {"A table is complete", nothing},
		"table.drifted":        {"A table has different columns than in the previous run", "The API may have changed. A mapping keeps the columns as they are."},
		"state.remembered":     {"A value was stored for the next run", nothing},
		"state.held":           {"Rows may be missing, so the remembered values do not advance past them", "Look at the warning about the missing rows. The values advance again in a run without it."},
		"table.merging":        {"A large table is being merged (--merge)", nothing},
		"table.merged":         {"A table was merged into the table of the previous run (--merge)", nothing},
		"run.finished":         {"The run succeeded. Data may be missing if the message says that it is incomplete", "If the run is incomplete, look at the warnings before this event. With \"onIncomplete\": \"fail\" such a run fails."},
		"run.cut":              {"A limit on the command line ended the run, so its tables have only part of the data", "Start the run without --sample, --max-requests, --max-time and --max-bytes to get all data."},
		"run.failed":           {"The run failed and wrote no tables", "The message says what to change. If you need more help, read docs/how-to/troubleshooting.md."},
	}
}

// Events returns the entries of all kinds of events, in the order of the reference.
func Events() []EventEntry {
	texts := eventTexts()
	var all []EventEntry
	for _, body := range event.Bodies() {
		text := texts[body.Kind()]
		all = append(all, EventEntry{body, text[0], text[1]})
	}
	return all
}

// EventKinds returns the names of all kinds of events.
func EventKinds() []string {
	var kinds []string
	for _, body := range event.Bodies() {
		kinds = append(kinds, body.Kind())
	}
	return kinds
}

// LookupEvent returns the entry of a kind of event.
func LookupEvent(kind string) (EventEntry, bool) {
	all := Events()
	if i := slices.IndexFunc(all, func(e EventEntry) bool { return e.Kind() == kind }); i >= 0 {
		return all[i], true
	}
	return EventEntry{}, false
}

// ExplainEvent writes the entry of an event.
func ExplainEvent(w io.Writer, e EventEntry) error {
	var about []string
	if fields := event.FieldNames(e.Body); len(fields) > 0 {
		about = append(about, "Its fields are "+strings.Join(fields, ", ")+".")
	}
	about = append(about, "docs/reference/events.md#"+strings.ReplaceAll(e.Kind(), ".", "")+" describes it.")
	if _, ok := e.Body.(event.Finding); ok {
		about = append(about, "It makes the run incomplete: data may be missing. With \"onIncomplete\": \"fail\" in config it fails the run.")
	}
	_, err := fmt.Fprintf(w, "%s (event, %s)\n%s\n\nEvent\n%s\n\nWhat to do\n%s\n", e.Kind(), e.Level(), e.Title, indent(strings.Join(about, " ")), indent(e.Fix))
	return err
}
