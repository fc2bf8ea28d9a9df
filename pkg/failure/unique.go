package failure

// Unique returns the list without repetitions. Parts of a document that several
// iterations share are compiled for each of them and report the same problems.
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
