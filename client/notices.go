package client

import "podium.local/protocol"

// maxNotices is how many notifications are remembered, twice what a pod
// replays to a new connection.
const maxNotices = 1024

// notices remembers the newest notifications, as a pod replays them on every
// connection and they carry no number.
type notices struct {
	seen   map[protocol.Notification]struct{}
	oldest []protocol.Notification
}

// repeated reports whether n was seen before, and remembers it.
func (s *notices) repeated(n protocol.Notification) bool {
	if _, ok := s.seen[n]; ok {
		return true
	}
	if s.seen == nil {
		s.seen = make(map[protocol.Notification]struct{})
	}
	if len(s.oldest) == maxNotices {
		delete(s.seen, s.oldest[0])
		s.oldest = s.oldest[1:]
	}
	s.seen[n] = struct{}{}
	s.oldest = append(s.oldest, n)
	return false
}
