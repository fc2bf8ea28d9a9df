package faults

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
)

// formats are answers to jobs whose responses are not in JSON.
func formats() []fault {
	one := func(s scenario, p place) bool { return s.name == "offset paging" && p.name == "first page" }
	in := func(name, response, body, says string) fault {
		return fault{name: name, says: says, only: one, settings: `{"response": ` + response + `}`, hit: func(s *strike) { s.say(200, body) }}
	}
	const csv, lines, xml = `{"format": "csv"}`, `{"format": "jsonl"}`, `{"format": "xml"}`
	const packed = `{"format": "csv", "unpack": "gzip"}`
	file := string(compressed([]byte("id\n1\n2\n")))
	small := func(f fault) fault {
		f.settings = strings.TrimSuffix(f.settings, "}") + `, "http": {"maxResponseBytes": 1000000}}`
		return f
	}
	keyed := func(name, users, says string) fault {
		only := func(s scenario, _ place) bool { return s.name == "items by their names" }
		return fault{name: name, says: says, only: only, hit: func(s *strike) { s.say(200, `{"users": `+users+`}`) }}
	}
	shaped := func(scenarioName string) func(name, response, says string) fault {
		return func(name, response, says string) fault {
			only := func(s scenario, _ place) bool { return s.name == scenarioName }
			return fault{name: name, says: says, only: only, hit: func(s *strike) { s.say(200, response) }}
		}
	}
	lists, parallel := shaped("rows that are lists"), shaped("parallel lists")
	zeros := bytes.Repeat([]byte("0"), 2_000_000)
	return slices.Concat(
		with(fatal("[another format](../how-to/formats.md) than `response.format`: an HTML page, JSON instead of CSV, CSV that is configured as JSON"),
			in("an HTML page for CSV", csv, "<!DOCTYPE html><html></html>", "HTML page"),
			in("JSON for CSV", csv, `{"error": "no report"}`, "it is JSON"),
			in("JSON for XML", xml, `{"error": "no report"}`, "outside of the elements"),
			in("CSV for JSON", `{}`, "id,name\n1,a\n", `"format": "csv"`),
			in("a file in gzip for JSON", `{}`, file, `"unpack": "gzip"`),
		),
		with(fatal("CSV with too many fields in a record, a quote that never ends, or lines that end with a carriage return alone; a broken line of JSON lines; XML that is not well-formed"),
			in("a field too many", csv, "a,b\n1,2\n1,2,3\n", "line 3"),
			in("carriage returns alone", csv, "a,b\r1,2\r", "carriage returns"),
			in("an open quote", csv, "a,b\n1,\"2\n3,4\n", "line 2"),
			in("a broken line", lines, "{}\n{\n", "line 2"),
			in("tags that do not match", xml, "<r>\n<a></b>\n</r>", "line 2"),
		),
		with(fatal("CSV, JSON lines or XML that was cut, although the response is complete"),
			in("CSV, cut in quotes", csv, "a,b\n1,\"2", "never ends"),
			in("JSON lines, cut in a line", lines, "{\"a\": 1}\n{\"a", "ends too early"),
			in("XML, cut in a text", xml, "<r><a>1</a><a>2", "ends too early"),
			in("XML, cut after an item", xml, "<r><a>1</a>", "ends too early"),
		),
		with(fatal("XML with entities of its own"),
			in("an entity", xml, `<!DOCTYPE r [<!ENTITY a "b">]><r><i>&a;</i></r>`, "entities"),
			in("a billion laughs", xml, `<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><r><i>&b;</i></r>`, "entities"),
			in("a file of this computer", xml, `<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r><i>&a;</i></r>`, "entities"),
		),
		with(fatal("XML that is not of the character set it names"),
			in("Latin in UTF-8", xml, "<r><i>\xe9t\xe9</i></r>", "UTF-8"),
			in("a character set that does not exist", xml, `<?xml version="1.0" encoding="klingon"?><r/>`, "klingon"),
		),
		with(fatal("packed file (`response.unpack`) that is cut or broken, no such file, encrypted, or a zip without a file; several zips one after another, or bytes after a zip"),
			in("a cut file in gzip", packed, file[:len(file)-6], "gzip"),
			in("a broken file in gzip", packed, file[:len(file)-8]+"xxxxxxxx", "checksum"),
			in("no file in gzip", packed, "id\n1\n", "gzip"),
			in("an empty zip", `{"format": "csv", "unpack": "zip"}`, archive(), "no file"),
			in("two zips", `{"format": "csv", "unpack": "zip"}`, archive([]byte("id\n1\n"))+archive([]byte("id\n2\n")), "several archives"),
			in("a page after a zip", `{"format": "csv", "unpack": "zip"}`, archive([]byte("id\n1\n"))+"<html>", "after its end"),
			in("a cut zip", `{"format": "csv", "unpack": "zip"}`, archive([]byte("id\n1\n"))[:60], "zip"),
		),
		with(fatal("with `dataField.keyAs`: a list, a text or a number instead of the object, or an item with another value under the name"),
			keyed("a list", `[{"name": "ann"}]`, "is an array"),
			keyed("a text", `"none"`, "is a string"),
			keyed("a number", `7`, "is a number"),
			keyed("another value under the name", `{"7": {"id": "8"}}`, "'id'"),
		),
		with(fatal("with `dataField.columns`: a row with more values than names, a row of another kind, no names; with `parallel`: lists of different length"),
			lists("more values than names", `{"rows": [[7, "ann", 1]], "names": ["id", "name"]}`, "3 values"),
			lists("a row that is an object", `{"rows": [{"id": 7}], "names": ["id", "name"]}`, "is an object"),
			lists("no names", `{"rows": [[7, "ann"]]}`, "nothing at 'names'"),
			lists("a name that is a list", `{"rows": [[7, "ann"]], "names": ["id", ["name"]]}`, "an array as name 2"),
			parallel("lists of different length", `{"rows": {"id": [7, 8], "name": ["ann"]}}`, "equal length"),
			parallel("a text in the place of the object", `{"rows": "none"}`, "is a string"),
		),
		with(fatal("packed file that is a bomb"),
			small(in("a bomb in gzip", packed, string(compressed(zeros)), "maxResponseBytes")),
			small(in("a bomb in a zip", `{"format": "csv", "unpack": "zip"}`, archive([]byte("id\n"), zeros), "maxResponseBytes")),
			small(in("a bomb between wrappers", `{"format": "csv", "unpack": ["gzip", "zip"]}`, string(compressed(append(zeros, archive([]byte("id\n"))...))), "maxResponseBytes")),
		),
	)
}

// archive is a zip of files.
func archive(files ...[]byte) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, file := range files {
		f, err := w.Create(string(rune('a' + i)))
		if err == nil {
			_, err = f.Write(file)
		}
		if err != nil {
			panic(err) // a mistake in this test
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}
