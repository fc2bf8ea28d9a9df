package event

// LiveParents counts the runs of a child job for some items of its parent. A nil
// LiveParents has no effect.
type LiveParents struct {
	job   *LiveJob
	count int // number of items
	runs  int // runs that have not ended, plus one until no other run can begin
}

// Expect adds to the number of items that the child job will run for.
func (j *LiveJob) Expect(items int) {
	if j == nil {
		return
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	j.parents += items
}

// Done counts items that need no run of the child job.
func (j *LiveJob) Done(items int) {
	if j == nil {
		return
	}
	j.live.mu.Lock()
	defer j.live.mu.Unlock()
	j.parentsDone += items
}

// Parents returns a counter for items that the child job starts to run for. The items are
// done after one call of End for each Begin, and one more call of End when no further run
// can begin.
func (j *LiveJob) Parents(items int) *LiveParents {
	if j == nil {
		return nil
	}
	return &LiveParents{job: j, count: items, runs: 1}
}

// Begin counts a run that begins.
func (p *LiveParents) Begin() {
	if p == nil {
		return
	}
	p.job.live.mu.Lock()
	defer p.job.live.mu.Unlock()
	p.runs++
}

// End counts a run that has ended.
func (p *LiveParents) End() {
	if p == nil {
		return
	}
	p.job.live.mu.Lock()
	defer p.job.live.mu.Unlock()
	if p.runs--; p.runs == 0 {
		p.job.parentsDone += p.count
	}
}
