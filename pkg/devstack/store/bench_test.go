package store

import (
	"io"
	"strconv"
	"testing"
)

func BenchmarkAddEvents(b *testing.B) {
	s := open(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.AddEvents(Event{RunID: "1", Message: "GET /users answered 200"}); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkAppend: a hundredth of a table without a key is added.
func BenchmarkAppend(b *testing.B) {
	s := open(b)
	l := numbered(1, 500_000, "a name of usual length", func(int) {})
	l.PrimaryKey = nil
	if _, err := s.Load(b.Context(), l); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l.Next = numbered(1, 5_000, "a name of usual length", func(int) {}).Next
		if _, err := s.Load(b.Context(), l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	const count = 20_000
	for _, bench := range []struct {
		name string
		key  []string
	}{{"without a key", nil}, {"with a key", []string{"id"}}} {
		b.Run(bench.name, func(b *testing.B) {
			s := open(b)
			b.ReportAllocs()
			for b.Loop() {
				i := 0
				l := Load{Table: "in.c-b.t", Columns: []Column{{Name: "id"}, {Name: "name"}}, PrimaryKey: bench.key, Next: func() ([]string, error) {
					if i == count {
						return nil, io.EOF
					}
					i++
					return []string{strconv.Itoa(i), "a name of usual length"}, nil
				}}
				if _, err := s.Load(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
