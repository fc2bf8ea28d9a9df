package engine

import (
	"iter"
	"sync"
)

// queue hands items from one goroutine to another. It has no limit of its own:
// admission limits how many there are.
type queue[T any] struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []T
	closed  bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

func (q *queue[T]) put(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
	q.changed.Signal()
}

// close says that no more items will come.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Signal()
}

// all takes item after item, waiting for each, until the queue is closed and
// empty. Only one goroutine may take.
func (q *queue[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			item, ok := q.take()
			if !ok || !yield(item) {
				return
			}
		}
	}
}

func (q *queue[T]) take() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.items) == 0 {
		return item, false
	}
	item = q.items[0]
	var none T
	q.items[0] = none // so that it can be freed
	q.items = q.items[1:]
	return item, true
}
