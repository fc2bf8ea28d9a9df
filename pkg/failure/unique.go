package failure

// Unique is the list without repetitions, each problem at its first place. The
// parts of a document that several iterations share are compiled once for each
// of them, and then report the same faults again.
func (ps Problems) Unique() Problems {
	seen := make(map[Problem]bool, len(ps))
	var unique Problems
	for _, p := range ps {
		if !seen[p] {
			seen[p] = true
			unique = append(unique, p)
		}
	}
	return unique
}
