package state

// held records the values of a name that must not change any more in this run.
type held struct {
	all          bool
	combinations map[string]bool
}

func (vs *values) isHeld(combination string) bool {
	return vs.held.all || vs.held.combinations[combination]
}

// Hold drops the value that this run has set for a name and a combination, and ignores
// later values, so that the value of earlier runs stays. combination is "" for a name
// without combinations.
func (m *IterationValues) Hold(name, combination string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.values(name)
	if vs.held.combinations == nil {
		vs.held.combinations = map[string]bool{}
	}
	vs.held.combinations[combination] = true
	m.forget(vs, combination)
}

// HoldAll is Hold for all combinations of a name.
func (m *IterationValues) HoldAll(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.values(name)
	vs.held.all = true
	for combination := range vs.now { // vs.now is empty after the first call: each finding of a run calls HoldAll
		m.forget(vs, combination)
	}
}

// Freeze keeps the values that this run has set for a name so far, and ignores later
// values.
func (m *IterationValues) Freeze(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values(name).held.all = true
}

// forget removes a value that this run has set. Its combination keeps its index in
// vs.order.
func (m *IterationValues) forget(vs *values, combination string) {
	m.bytes -= sizeOf(vs.find(combination, true))
	delete(vs.now, combination)
	m.bytes += sizeOf(vs.find(combination, true))
}

// IsHeld reports whether a name without combinations is held.
func (m *IterationValues) IsHeld(name string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	vs := m.names[name]
	return vs != nil && vs.isHeld("")
}
