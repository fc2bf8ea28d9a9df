package config

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestJobIDs(t *testing.T) {
	rows := []struct{ name, in, serialized, want string }{
		{"worked example", `{"endpoint":"t"}`, `a:1:{s:8:"endpoint";s:1:"t";}`, "5860295a27338e898b3cbc02279c2bcf"},
		{"all kinds", `{"a":null,"b":true,"c":false,"d":-5,"e":1.50,"f":"č","g":[1,"x"],"h":{}}`,
			`a:8:{s:1:"a";N;s:1:"b";b:1;s:1:"c";b:0;s:1:"d";i:-5;s:1:"e";d:1.5;s:1:"f";s:2:"č";s:1:"g";a:2:{i:0;i:1;i:1;s:1:"x";}s:1:"h";a:0:{}}`, ""},
		{"integer names", `{"5":1,"-7":1,"05":1,"-0":1,"9223372036854775808":1}`,
			`a:5:{i:5;i:1;i:-7;i:1;s:2:"05";i:1;s:2:"-0";i:1;s:19:"9223372036854775808";i:1;}`, ""},
		{"doubles", `[1.0,10.0,0.1,1e25,9223372036854775808,-0]`,
			`a:6:{i:0;d:1;i:1;d:10;i:2;d:0.10000000000000001;i:3;d:1.0000000000000001E+25;i:4;d:9.2233720368547758E+18;i:5;d:-0;}`, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := testvalue.Parse(t, row.in)
			if got := string(appendSerialized(nil, v)); got != row.serialized {
				t.Errorf("got  %s\nwant %s", got, row.serialized)
			}
			if row.want != "" && jobID(v) != row.want {
				t.Errorf("got %s, want %s", jobID(v), row.want)
			}
		})
	}
}
