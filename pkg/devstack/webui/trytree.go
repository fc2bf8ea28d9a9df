package webui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

// treeRows is how many requests of a tree a page shows.
const treeRows = 200

// requestTree is a part of the requests of a try: below their iterations, jobs and
// pages.
type requestTree struct {
	Nodes []*treeNode
	Total int
	// First and Last are the shown requests, from 1. Earlier and Later are the paths
	// with those before and after them, "" for none.
	First, Last    int
	Earlier, Later string
}

// treeNode is an iteration, a job, or a request, with what is below it.
type treeNode struct {
	// Kind is iteration, job or request; the first two have a Title, the last one has
	// the others.
	Kind  string
	Title string
	Row   *tryrun.Row
	// Path is that of the request.
	Path  string
	Nodes []*treeNode
}

// Label is the number of the page in its run. A child job has many runs for a page of its
// parent: there it is the number of the run, and of the page after the first one.
func (n *treeNode) Label() string {
	at := n.Row.At
	switch {
	case n.Row.Login:
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

// Tone is how the status of a request looks.
func (n *treeNode) Tone() string {
	switch status := n.Row.Status; {
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

// Address is the address without scheme and host.
func (n *treeNode) Address() string {
	_, rest, ok := strings.Cut(n.Row.URL, "://")
	if !ok {
		return n.Row.URL
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// newRequestTree shows the requests from one on, counted from 0.
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

// treeBuilder adds requests in their order.
type treeBuilder struct {
	tree       *requestTree
	iterations bool
	// open are the nodes around the last request, with the part of the place that they
	// stand for.
	open []openNode
}

type openNode struct {
	at []int
	// job is the pointer of the job whose requests it holds, "" for other nodes.
	job  string
	node *treeNode
}

// around reports whether a request belongs below the node.
func (o openNode) around(row *tryrun.Row) bool {
	if !isPrefix(o.at, row.At) || len(o.at) == len(row.At) { // another attempt is beside the first one
		return false
	}
	return o.job == "" || o.job == row.Pointer || len(o.at) < len(groupOf(row))
}

// groupOf is the place that the requests of a job have in common: that of the root job, or
// the page of its parent.
func groupOf(row *tryrun.Row) []int { return row.At[:len(row.At)-2] }

// add adds a request below the nodes of its place: the iteration, its job, and for a child
// job the request for the page of its parent.
func (b *treeBuilder) add(row *tryrun.Row, path string) {
	request := &treeNode{Kind: "request", Row: row, Path: path}
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

// enter adds a node below the last open one, and opens it.
func (b *treeBuilder) enter(o openNode) {
	if len(b.open) == 0 {
		b.tree.Nodes = append(b.tree.Nodes, o.node)
	} else {
		parent := b.open[len(b.open)-1].node
		parent.Nodes = append(parent.Nodes, o.node)
	}
	b.open = append(b.open, o)
}

func isPrefix(short, long []int) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

// Unknown reports whether a request was not in the recording that answered the try.
func (n *treeNode) Unknown() bool { return notRecorded(n.Row) }

// notRecorded reports whether the error of a request is that of har.Unknown.
func notRecorded(row *tryrun.Row) bool { return row.Status == 0 && row.NotRecorded }

// Stop is why a job of its own ended with the request; child jobs, which have many runs, say
// it below the tables.
func (n *treeNode) Stop() string {
	if n.Row.Reading == nil || len(n.Row.At) > 4 {
		return ""
	}
	return n.Row.Reading.Stop
}
