package failure

import "strings"

// maxNameLength is the maximum length, in bytes, of a name that is compared. It limits
// the cost.
const maxNameLength = 100

// Nearest returns the known name that a misspelt name most likely means. At most a third
// of its letters (at least one, at most three) may be missing, additional, different, or
// swapped with their neighbour. Case is ignored. If several names are equally near,
// Nearest returns the first in alphabetical order.
func Nearest(name string, known []string) (string, bool) {
	if name == "" || len(name) > maxNameLength {
		return "", false
	}
	folded := []rune(strings.ToLower(name))
	best, bestDistance := "", 4
	for _, candidate := range known {
		if len(candidate) > maxNameLength {
			continue
		}
		other := []rune(strings.ToLower(candidate))
		allowed := min(max(1, max(len(folded), len(other))/3), 3)
		if len(folded)-len(other) > allowed || len(other)-len(folded) > allowed {
			continue // too many letters are missing or additional
		}
		distance := editDistance(folded, other)
		if distance > allowed || distance >= max(len(folded), len(other)) {
			continue
		}
		if distance < bestDistance || distance == bestDistance && candidate < best {
			best, bestDistance = candidate, distance
		}
	}
	return best, best != ""
}

// Distance returns the number of letters to insert, delete, replace or swap with their
// neighbour to turn one name into another, regardless of case.
func Distance(a, b string) int {
	return editDistance([]rune(strings.ToLower(a)), []rune(strings.ToLower(b)))
}

// editDistance returns the number of letters to insert, delete, replace or swap with
// their neighbour to turn a into b.
func editDistance(a, b []rune) int {
	// Three rows of the usual table are enough, because a swap looks two rows back.
	var beforeLast []int
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}
