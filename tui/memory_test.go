package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// log is a session of n entries as a pod would page through it.
type log struct {
	n     int
	asked int
}

func (l *log) item(i int) protocol.Item {
	role := protocol.RoleUser
	if i%2 == 1 {
		role = protocol.RoleAssistant
	}
	return message(role, fmt.Sprint("e", i), fmt.Sprintf("entry %d.", i))
}

// window gives the items [to-limit, to) and the cursor before them.
func (l *log) window(to, limit int) (items []protocol.Item, before *string) {
	from := max(0, to-limit)
	for i := from; i < to; i++ {
		items = append(items, l.item(i))
	}
	if from > 0 {
		id := fmt.Sprint("e", from)
		before = &id
	}
	return items, before
}

func (l *log) answer(m protocol.Method) (protocol.Event, error) {
	g, ok := m.Params.(protocol.GetEntries)
	if !ok {
		return protocol.Event{Data: protocol.Accepted{Method: m.Params.MethodName()}}, nil
	}
	l.asked++
	to := l.n
	if g.Before != nil {
		fmt.Sscanf(*g.Before, "e%d", &to)
	}
	items, before := l.window(to, int(*g.Limit))
	s := snapshot(protocol.StateIdle, before, items...)
	return protocol.Event{Data: protocol.Entries{Items: s.Items, Before: before}}, nil
}

func (l *log) open(t *testing.T) *screen {
	s := open(t)
	s.pod.answer = l.answer
	items, before := l.window(l.n, 200)
	s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, before, items...), status(protocol.StateIdle))
	return s
}

// entryAtTop is the number of the first entry on the screen.
func entryAtTop(s *screen) int {
	_, rest, ok := strings.Cut(s.text(), "entry ")
	n := -1
	if ok {
		fmt.Sscanf(rest, "%d.", &n)
	}
	return n
}

func TestMemory_StaysBoundedFromOneEndOfALongSessionToTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &log{n: 2_400}
		s := l.open(t)
		s.shows("entry 2399.")
		last := entryAtTop(s)
		most := 0
		walk := func(key string, sign int) {
			for range 3000 {
				s.press(key)
				blocks, _, _ := s.m.Held()
				most = max(most, blocks)
				at := entryAtTop(s)
				if at >= 0 && (at-last)*sign < 0 || at-last > 15 || last-at > 15 && at >= 0 {
					t.Fatalf("%s: entry %d follows %d:\n%s", key, at, last, s.text())
				}
				if at >= 0 {
					last = at
				}
				if sign < 0 && strings.HasPrefix(s.text(), "› entry 0.") || sign > 0 && strings.Contains(s.text(), "entry 2399.") && !strings.Contains(s.text(), "more below") {
					return
				}
			}
			t.Fatalf("%s does not arrive: entry %d is at the top", key, last)
		}
		walk("pgup", -1)
		walk("pgdown", 1)
		if most > 1900 {
			t.Errorf("%d blocks were held at once", most)
		}
		if _, gaps, _ := s.m.Held(); gaps == 0 {
			t.Error("nothing was forgotten")
		}
		if l.asked < 15 {
			t.Errorf("only %d windows were asked for", l.asked)
		}
	})
}

func TestMemory_AnEndlessRunIsForgottenBehindTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		for i := range 4000 {
			s.pod.stream <- protocol.Event{Data: protocol.TextDone{Text: fmt.Sprintf("answer %d.", i), EntryID: fmt.Sprint("t", i)}}
		}
		s.settle()
		s.shows("answer 3999.")
		if blocks, _, _ := s.m.Held(); blocks > 1600 {
			t.Errorf("%d blocks are held", blocks)
		}
	})
}

func TestMemory_OneEnormousBlockIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		for range 64 {
			s.event(protocol.TextDelta{Text: strings.Repeat("word ", 20_000)})
		}
		if _, _, bytes := s.m.Held(); bytes > 2<<20 {
			t.Errorf("%d bytes are held for one block", bytes)
		}
		s.shows("more; podium history has all of it")
	})
}

// Keys come through while deltas arrive as fast as they can.
func TestStream_HundredThousandDeltasLoseNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		var want strings.Builder
		for i := range 100_000 {
			s.pod.stream <- protocol.Event{Data: protocol.TextDelta{Text: "x"}}
			if i%100 == 0 {
				r := rune('a' + i/100%26)
				want.WriteRune(r)
				s.send(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
				if i%1000 == 0 {
					s.settle()
				}
			}
		}
		s.settle()
		if got := s.m.Text(); got != want.String() {
			t.Errorf("%d keys arrived of %d", len(got), want.Len())
		}
		s.event(protocol.TextDone{Text: strings.Repeat("x", 100_000), EntryID: "t"})
		s.shows("xxxx")
	})
}
