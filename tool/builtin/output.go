package builtin

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// headTail keeps the beginning and the end of an output, together at most limit
// bytes.
type headTail struct {
	limit, total int
	head         []byte
	// tail is a ring; at is its oldest byte once it is full.
	tail []byte
	at   int
}

// Write takes all of p; it never fails.
func (h *headTail) Write(p []byte) (int, error) {
	n := len(p)
	h.total += n
	take := min(len(p), h.limit/2-len(h.head))
	h.head = append(h.head, p[:take]...)
	p = p[take:]
	size := h.limit - h.limit/2
	p = p[max(len(p)-size, 0):]
	take = min(len(p), size-len(h.tail))
	h.tail = append(h.tail, p[:take]...)
	for p = p[take:]; len(p) > 0; {
		c := copy(h.tail[h.at:], p)
		h.at = (h.at + c) % size
		p = p[c:]
	}
	return n, nil
}

// noteRoom is what the note about dropped bytes may take.
const noteRoom = 80

// text is the output as valid UTF-8, its middle left out when it is longer
// than the limit, and its full length in bytes.
func (h *headTail) text() (s string, full int) {
	end := string(h.tail[h.at:]) + string(h.tail[:h.at])
	head, tail := string(h.head), end
	if h.total <= h.limit {
		head = strings.ToValidUTF8(head+tail, "\uFFFD")
		if len(head) <= h.limit {
			return head, len(head)
		}
		tail, full = head, len(head)
	} else {
		head, tail, full = strings.ToValidUTF8(head, "\uFFFD"), strings.ToValidUTF8(tail, "\uFFFD"), h.total
	}
	room := max(h.limit-noteRoom, 0) / 2
	a, b := min(room, len(head)), max(len(tail)-room, 0)
	for a > 0 && a < len(head) && !utf8.RuneStart(head[a]) {
		a--
	}
	for b < len(tail) && !utf8.RuneStart(tail[b]) {
		b++
	}
	head, tail = head[:a], tail[b:]
	return fmt.Sprintf("%s\n\n[truncated: %d bytes dropped from the middle]\n\n%s", head, full-len(head)-len(tail), tail), full
}
