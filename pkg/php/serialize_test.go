package php

import "testing"

// TestSerialize: the bytes of serialize(). What rows and jobs become is tested where
// they are hashed.
func TestSerialize(t *testing.T) {
	b := AppendArrayHead(nil, 4)
	b = AppendNull(AppendInt(b, 0))
	b = AppendBool(AppendKey(b, "-7"), true)
	b = AppendNumber(AppendKey(b, "07"), "1.50")
	b = AppendObjectHead(AppendKey(b, []byte("o")), 1)
	b = append(AppendDouble(AppendString(b, "ě"), 0.1), "}}"...)
	if got, want := string(b), `a:4:{i:0;N;i:-7;b:1;s:2:"07";d:1.5;s:1:"o";O:8:"stdClass":1:{s:2:"ě";d:0.10000000000000001;}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
