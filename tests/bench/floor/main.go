// Command floor is what the extractor is compared with: the least Go program
// that fetches the same pages with net/http, reads the tokens of each body once
// with jsontext (encoding/csv, encoding/xml), and writes the same cells as CSV. It knows in advance what the
// extractor has to find out: the columns, their order, where the items are. It
// checks nothing, tries nothing again, keeps no state, and its generated ids are
// numbers.
//
// It shows which costs cannot be avoided and is not an example of good code.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	shape := flag.String("shape", "", "flat, nested, csv, jsonl, xml, children, lists; empty does nothing")
	address := flag.String("url", "", "address of the pages, of the one body, or of the parents, with a query")
	limit := flag.Int("limit", 0, "items a page; 0 for no paging")
	concurrency := flag.Int("concurrency", 1, "children: requests side by side")
	count := flag.Int("lists", 0, "lists: how many an item has")
	out := flag.String("out", ".", "directory of the tables")
	flag.Parse()
	if err := run(*shape, *address, *limit, *concurrency, *count, *out); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(shape, address string, limit, concurrency, count int, out string) error {
	switch shape {
	case "":
		fmt.Println("floor")
		return nil
	case "flat":
		return flat(address, limit, out)
	case "nested":
		return nested(address, limit, out)
	case "csv":
		return records(address, out)
	case "jsonl":
		return lines(address, out)
	case "xml":
		return elements(address, out)
	case "children":
		return children(address, concurrency, out)
	case "lists":
		return lists(address, count, out)
	default:
		return fmt.Errorf("unknown shape %q", shape)
	}
}
