package event

// LiveParents are items of a job that a child job runs for, once or several times. A nil
// LiveParents counts nothing.
type LiveParents struct {
	job   *LiveJob
	count int // of items
	runs  int // that have not ended, and one for Parents
}

// Expect adds items to those that the child job runs for in the end.
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

// Parents are items whose runs begin now. They are done when End was called for each
// Begin, and once more when no other run will begin.
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
