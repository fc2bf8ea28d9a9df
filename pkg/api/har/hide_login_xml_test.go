package har

import "testing"

func TestHideXML(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"texts and attributes", `<s:Body id="s3cret"><token>s3cret&amp;x</token> <n>12</n></s:Body>`, `<s:Body id="[hidden]"><token>[hidden]</token><n>12</n></s:Body>`},
		{"comments, declarations and CDATA", `<?xml version="1.0"?><!-- s3cret --><E><?x s3cret?><![CDATA[s3cret]]><d>2026-01-02T03:04:05Z</d></E>`, `<E>[hidden]<d>2026-01-02T03:04:05Z</d></E>`},
		{"names that are data", `<E><k9x7q2z8w1/></E>`, `<E><hidden></hidden></E>`},
		{"not closed", `<E>s3cret`, ""},
		{"no element", `s3cret`, ""},
		{"another character set", `<?xml version="1.0" encoding="utf-16"?><E/>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := hideXML([]byte(tt.text), true)
			if ok != (tt.want != "") || ok && string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, ok, tt.want)
			}
		})
	}
	if got, ok := hideXML([]byte(`<E><n>12</n></E>`), false); !ok || string(got) != `<E><n>[hidden]</n></E>` {
		t.Errorf("a number whose secret is not known: got %s, %v", got, ok)
	}
}
