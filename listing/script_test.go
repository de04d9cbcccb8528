package listing_test

import (
	"iter"

	"podium.local/listing"
)

// script is a source that gives out its rows one after the other, whatever
// branch is asked for.
type script struct {
	items []item
	next  int
}

func (s *script) Keys(_ listing.Branch, limit int) iter.Seq2[listing.Key, error] {
	return func(yield func(listing.Key, error) bool) {
		for ; limit > 0 && s.next < len(s.items); limit-- {
			s.next++
			if !yield(s.items[s.next-1].key, nil) {
				return
			}
		}
	}
}

func (s *script) Candidates(_ listing.Branch, _ listing.Filter, limit int) iter.Seq2[listing.Candidate, error] {
	return func(yield func(listing.Candidate, error) bool) {
		for ; limit > 0 && s.next < len(s.items); limit-- {
			s.next++
			if !yield(listing.Candidate{Key: s.items[s.next-1].key, Matched: s.items[s.next-1].matches}, nil) {
				return
			}
		}
	}
}

func (s *script) Hydrate(_ listing.Order, handles []int64) ([]string, error) {
	return make([]string, len(handles)), nil
}
