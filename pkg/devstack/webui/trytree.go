package webui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

const treeRows = 200

// requestTree shows a part of the requests of a try below their iterations, jobs and
// pages.
type requestTree struct {
	Nodes []*treeNode
	Total int
	// First and Last are the numbers of the shown requests, from 1. Earlier and Later are
	// the paths of the parts before and after them, or "".
	First, Last    int
	Earlier, Later string
}

// treeNode is an iteration, a job, or a request, with its child nodes.
type treeNode struct {
	// Kind is iteration, job or request. Iterations and jobs have a Title, requests have
	// Row and Path.
	Kind  string
	Title string
	Row   *tryrun.Row
	// Path is the path of the request's page.
	Path string
	// Label is the number of the page in its run, see pageLabel. Tone is the style: ok,
	// redirect, refused or failed. Address is the URL without scheme and host.
	Label, Tone, Address string
	// Unknown is true if the request was missing in the recording that the try replayed.
	Unknown bool
	// Stop is the reason why a root job ended with the request. Child jobs have many runs,
	// so the page shows their reasons below the tables.
	Stop  string
	Nodes []*treeNode
}

// pageLabel returns the number of the page in its run. A child job has many runs for a page
// of its parent. There the label is the number of the run, followed by the number of the
// page if it is not the first.
func pageLabel(row *tryrun.Row) string {
	at := row.At
	switch {
	case row.Login:
		return "login"
	case len(at) < 4:
		return ""
	}
	run, page := at[len(at)-2], at[len(at)-1]
	switch {
	case len(at) > 4 && page == 1:
		return strconv.Itoa(run)
	case len(at) > 4 || run > 1:
		return fmt.Sprintf("%d.%d", run, page)
	default:
		return strconv.Itoa(page)
	}
}

// statusTone returns the style of a status: ok, redirect, refused or failed.
func statusTone(status int) string {
	switch {
	case status == 0:
		return "failed"
	case status >= 400:
		return "refused"
	case status >= 300:
		return "redirect"
	default:
		return "ok"
	}
}

// newRequestTree returns the part of the tree that contains the request with index from.
// at is the path of the try.
func newRequestTree(x *tryrun.Index, at string, from int) *requestTree {
	t := &requestTree{Total: len(x.Rows)}
	from = max(0, min(from, len(x.Rows)-1))
	from -= from % treeRows
	to := min(from+treeRows, len(x.Rows))
	t.First, t.Last = from+1, to
	if from > 0 {
		t.Earlier = fmt.Sprintf("%s?from=%d", at, from-treeRows)
	}
	if to < len(x.Rows) {
		t.Later = fmt.Sprintf("%s?from=%d", at, to)
	}
	b := treeBuilder{tree: t, iterations: x.Iterations > 1}
	for i := from; i < to; i++ {
		b.add(&x.Rows[i], fmt.Sprintf("%s/requests/%d", at, x.Rows[i].Number))
	}
	return t
}

// treeBuilder adds requests to a tree. They must come in the order of the index.
type treeBuilder struct {
	tree       *requestTree
	iterations bool
	// open are the nodes around the last request, each with its prefix of Row.At.
	open []openNode
}

type openNode struct {
	at []int
	// job is the pointer of the job that the node stands for, or "" for other nodes.
	job  string
	node *treeNode
}

// around reports whether a request belongs below the node.
func (o openNode) around(row *tryrun.Row) bool {
	n := len(o.at)
	if n >= len(row.At) || !slices.Equal(o.at, row.At[:n]) { // another attempt is a sibling
		return false
	}
	return o.job == "" || o.job == row.Pointer || n < len(groupOf(row))
}

// groupOf returns the prefix of Row.At that all requests of a job share. It identifies
// the root job, or the page of the parent.
func groupOf(row *tryrun.Row) []int { return row.At[:len(row.At)-2] }

// add adds a request below its nodes: the iteration, the job, and for a child job the
// request of the parent's page.
func (b *treeBuilder) add(row *tryrun.Row, path string) {
	request := &treeNode{
		Kind: "request", Row: row, Path: path, Label: pageLabel(row), Tone: statusTone(row.Status),
		Address: row.URL, Unknown: notRecorded(row),
	}
	if _, rest, ok := strings.Cut(row.URL, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		request.Address = "/" + path
	}
	if row.Reading != nil && len(row.At) <= 4 {
		request.Stop = row.Reading.Stop
	}
	if len(row.At) < 4 { // a recording of another program
		b.tree.Nodes, b.open = append(b.tree.Nodes, request), nil
		return
	}
	for len(b.open) > 0 && !b.open[len(b.open)-1].around(row) {
		b.open = b.open[:len(b.open)-1]
	}
	if b.iterations && len(b.open) == 0 {
		b.enter(openNode{row.At[:1], "", &treeNode{Kind: "iteration", Title: fmt.Sprintf("Iteration %d", row.At[0])}})
	}
	last := len(b.open) - 1
	if last < 0 || b.open[last].job != row.Pointer || len(b.open[last].at) != len(groupOf(row)) {
		b.enter(openNode{groupOf(row), row.Pointer, &treeNode{Kind: "job", Title: row.Job}})
	}
	b.enter(openNode{row.At, "", request})
}

// enter adds a node below the last open node, and opens it.
func (b *treeBuilder) enter(o openNode) {
	if len(b.open) == 0 {
		b.tree.Nodes = append(b.tree.Nodes, o.node)
	} else {
		parent := b.open[len(b.open)-1].node
		parent.Nodes = append(parent.Nodes, o.node)
	}
	b.open = append(b.open, o)
}

// notRecorded reports whether a request failed because the replayed recording did not
// contain it.
func notRecorded(row *tryrun.Row) bool { return row.Status == 0 && row.NotRecorded }
