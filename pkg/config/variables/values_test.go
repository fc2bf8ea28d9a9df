package variables

import (
	"fmt"
	"testing"
)

func TestTypes(t *testing.T) {
	const doc = `{"a":"{{x}}","variables_id":"12","variableValuesData":{"values":[{"name":"x","value":%s}]}}`
	const left = `,"variables_id":"12"}`
	for name, tc := range map[string]struct{ kind, value, want string }{
		"string":                    {"string", `"a"`, `"a"`},
		"empty string":              {"string", `""`, `""`},
		"integer":                   {"int", `12`, `"12"`},
		"negative":                  {"int", `-12`, `"-12"`},
		"beyond 64 bits":            {"int", `123456789012345678901234567890`, `"123456789012345678901234567890"`},
		"digits":                    {"int", `"007"`, `"007"`},
		"minus and digits":          {"int", `"-7"`, `"-7"`},
		"fraction":                  {"int", `1.5`, ""},
		"exponent":                  {"int", `1e3`, ""},
		"fraction of zero":          {"int", `1.0`, ""},
		"plus":                      {"int", `"+7"`, ""},
		"blank":                     {"int", `" 7"`, ""},
		"new line":                  {"int", `"7\n"`, ""},
		"no digits":                 {"int", `"-"`, ""},
		"empty":                     {"int", `""`, ""},
		"word":                      {"int", `"secret"`, ""},
		"true is no integer":        {"int", `true`, ""},
		"true as text":              {"string", `true`, `"1"`},
		"false as text":             {"string", `false`, `""`},
		"integer as text":           {"string", `1`, `"1"`},
		"number as it was written":  {"string", `1.50`, `"1.50"`},
		"unknown type asks nothing": {"date", `"secret"`, `"secret"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := resolution{
				doc:     fmt.Sprintf(doc, tc.value),
				records: map[string]string{"config 12": `{"variables":[{"name":"x","type":"` + tc.kind + `"}]}`},
				want:    `{"a":` + tc.want + left, replaced: "x", source: "variableValuesData of the configuration", asked: "config 12",
			}
			if tc.want == "" {
				r.err = "values that are not integers, as declared, for variables: x; the values come from variableValuesData of the configuration"
			}
			r.check(t)
		})
	}
	t.Run("all at once, beside missing ones", resolution{
		doc: `{"a":"{{x}}{{z}}","variables_id":"12"}`, flags: []Assignment{{"x", "secret"}, {"y", "1.0"}}, asked: "config 12",
		records: map[string]string{"config 12": `{"variables":[{"name":"y","type":"int"},{"name":"x","type":"int"},{"name":"y","type":"int"}]}`},
		err:     "missing values for variables: z (used in the configuration); values that are not integers, as declared, for variables: y, x; the values come from the command line",
	}.check)
}

func TestMalformed(t *testing.T) {
	const inline = "configuration: /variableValuesData"
	data := func(text string) string { return `{"a":"{{x}}","variableValuesData":` + text + `}` }
	const linked = `{"a":"{{x}}","variables_id":"12","variables_values_id":"7"}`
	x := []Assignment{{"x", "1"}}
	for name, tc := range map[string]resolution{
		"flag without a name": {
			doc: `{"a":"{{x}}"}`, flags: []Assignment{{"", "secret"}}, err: "the name of a variable on the command line must not be empty",
		},
		"set is a text": {
			doc: data(`"secret"`), pointer: "/variableValuesData", err: inline + `: expected an object {"values": […]}, found string`,
		},
		"set is a list": {
			doc: data(`["secret"]`), pointer: "/variableValuesData", err: inline + `: expected an object {"values": […]}, found array`,
		},
		"values is an object": {
			doc: data(`{"values":{"x":"secret"}}`), pointer: "/variableValuesData/values",
			err: inline + "/values: expected a list of {name, value}, found object",
		},
		"all entries at once": {
			doc:     data(`{"values":["secret",{"name":"","value":"secret"},{"name":1,"value":"secret"},{"value":"secret"},{"name":"x","value":null},{"name":"x"},{"name":"x","value":["secret"]},{"name":"x","value":"secret"}]}`),
			pointer: "/variableValuesData/values/0",
			err: "configuration, 7 problems: /variableValuesData/values/0: expected an object {name, value}, found string" +
				" | /variableValuesData/values/1/name: expected a name that is not empty, found an empty string" +
				" | /variableValuesData/values/2/name: expected a name that is not empty, found number" +
				" | /variableValuesData/values/3/name: expected a name that is not empty, found null" +
				" | /variableValuesData/values/4/value: expected a string, an integer or a boolean, found null" +
				" | /variableValuesData/values/5/value: expected a string, an integer or a boolean, found null" +
				" | /variableValuesData/values/6/value: expected a string, an integer or a boolean, found array",
		},
		"values and the id of a row": {
			doc:     `{"a":"{{x}}","variableValuesId":"7","variableValuesData":` + values(`"1"`, `2`) + `}`,
			pointer: "/variableValuesData", err: "only one of variableValuesData and variableValuesId can be given in the configuration",
		},
		"ids are no texts": {
			doc: `{"a":"{{x}}","variables_id":{},"variables_values_id":true}`, pointer: "/variables_values_id",
			err: "configuration, 2 problems: /variables_values_id: expected an id, found boolean | /variables_id: expected an id, found object",
		},
		"job": {
			doc: `{"a":"{{x}}"}`, run: "1", asked: "job 1", records: map[string]string{"job 1": `{"variableValuesData":{"values":[1]}}`},
			err: `variable values of job "1" are malformed: /values/0: expected an object {name, value}, found number`,
		},
		"values and the id of a row in a job": {
			doc: `{"a":"{{x}}"}`, run: "1", asked: "job 1",
			records: map[string]string{"job 1": `{"variableValuesId":"7","variableValuesData":` + values(`"1"`, `2`) + `}`},
			err:     `only one of variableValuesData and variableValuesId can be given in job "1"`,
		},
		"row": {
			doc: linked, asked: "row 12/7", records: map[string]string{"row 12/7": `{"values":[{"name":"x"},{"name":"y"}]}`},
			err: `variable values of row "7" of variables configuration "12" are malformed: /values/0/value: expected a string, an integer or a boolean, found null | /values/1/value: expected a string, an integer or a boolean, found null`,
		},
		"row is a text": {
			doc: linked, asked: "row 12/7", records: map[string]string{"row 12/7": `"secret"`},
			err: `variable values of row "7" of variables configuration "12" are malformed: the document: expected an object {"values": […]}, found string`,
		},
		"declarations": {
			doc: linked, flags: x, asked: "config 12",
			records: map[string]string{"config 12": `{"variables":[{"name":"x"},{"type":"int"},{"name":"","type":1},"y"]}`},
			err: `declarations of variables configuration "12" are malformed: /variables/0/type: expected a type that is not empty, found null` +
				` | /variables/1/name: expected a name that is not empty, found null` +
				` | /variables/2/name: expected a name that is not empty, found an empty string` +
				` | /variables/2/type: expected a type that is not empty, found number` +
				` | /variables/3: expected an object {name, type}, found string`,
		},
		"declarations are no list": {
			doc: linked, flags: x, asked: "config 12", records: map[string]string{"config 12": `{"variables":{"x":"int"}}`},
			err: `declarations of variables configuration "12" are malformed: /variables: expected a list of {name, type}, found object`,
		},
		"declarations are a list": {
			doc: linked, flags: x, asked: "config 12", records: map[string]string{"config 12": `[1]`},
			err: `declarations of variables configuration "12" are malformed: the document: expected an object {"variables": […]}, found array`,
		},
		"names become equal": {
			doc: `{"p":{"{{x}}":1,"1":2}}`, flags: x, pointer: "/p", err: "replacing variables makes two names of one object equal: x",
		},
	} {
		t.Run(name, tc.check)
	}
}
