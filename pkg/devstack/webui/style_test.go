package webui

import (
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast sees that text can be read in both schemes: a ratio of 4.5 for
// text, of 3 for borders of what one can operate.
func TestContrast(t *testing.T) {
	style, err := assetFiles.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, found := strings.Cut(string(style), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there is no dark scheme")
	}
	dark, _, _ := strings.Cut(rest, "*, *::before")
	schemes := map[string]map[string]float64{"light": colors(t, light)}
	schemes["dark"] = maps.Clone(schemes["light"])
	overrides := colors(t, dark)
	maps.Copy(schemes["dark"], overrides)
	if len(overrides) != len(schemes["light"]) {
		t.Errorf("%d colours in the dark, %d in the light", len(overrides), len(schemes["light"]))
	}
	for _, c := range []struct {
		front, back string
		least       float64
	}{
		{"ink quiet accent good bad warn busy", "paper surface sunk", 4.5},
		{"ink quiet bad string digit name", "bad-soft", 4.5},
		{"ink quiet warn", "warn-soft", 4.5},
		{"string digit name", "sunk surface", 4.5},
		{"accent", "accent-soft", 4.5},
		{"sign", "accent good bad warn quiet", 4.5},
		{"strong", "surface paper", 3},
	} {
		for scheme, luminance := range schemes {
			for front := range strings.FieldsSeq(c.front) {
				for back := range strings.FieldsSeq(c.back) {
					a, b := luminance[front], luminance[back]
					if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < c.least {
						t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme, front, back, ratio, c.least)
					}
				}
			}
		}
	}
}

// colors are the relative luminances of the colours by their names.
func colors(t *testing.T, style string) map[string]float64 {
	found := map[string]float64{}
	for _, match := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(style, -1) {
		rgb, err := strconv.ParseUint(match[2], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		luminance := 0.0
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			part := float64(rgb>>(8*i)&0xff) / 255
			if part <= 0.04045 {
				part /= 12.92
			} else {
				part = math.Pow((part+0.055)/1.055, 2.4)
			}
			luminance += weight * part
		}
		found[match[1]] = luminance
	}
	return found
}
