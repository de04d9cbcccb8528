package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/tui"
)

// picker is a Picker as a program would drive it.
type picker struct {
	m    *tui.Picker
	msgs chan tea.Msg
	quit bool
}

func openPicker(t *testing.T, list func(context.Context) ([]tui.Entry, error), search ...tui.Searcher) *picker {
	t.Helper()
	o := tui.PickerOptions{List: list, Dir: "/src/shop"}
	if len(search) > 0 {
		o.Search = search[0]
	}
	p := &picker{m: tui.NewPicker(t.Context(), o), msgs: make(chan tea.Msg, 100)}
	t.Cleanup(func() { time.Sleep(5 * time.Second) }) // the next look is still on its way
	p.start(p.m.Init())
	p.settle()
	return p
}

func (p *picker) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				p.start(c)
			}
		default:
			p.msgs <- msg
		}
	}()
}

func (p *picker) settle() {
	synctest.Wait()
	for len(p.msgs) > 0 {
		p.send(<-p.msgs)
		synctest.Wait()
	}
}

func (p *picker) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		p.quit = true
	}
	_, cmd := p.m.Update(msg)
	p.start(cmd)
}

func (p *picker) press(names ...string) {
	for _, name := range names {
		if k, ok := keys[name]; ok {
			p.send(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range name {
			p.send(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
		}
	}
	p.settle()
}

func TestPicker_KeysChoose(t *testing.T) {
	for _, c := range []struct {
		name  string
		press []string
		pod   string
		title string
		fresh bool
		none  bool
	}{
		{name: "Enter takes what runs first", press: []string{"enter"}, pod: "implementer"},
		{name: "Down goes on", press: []string{"down", "enter"}, pod: "reviewer"},
		{name: "Up reaches the new pod", press: []string{"up", "enter"}, fresh: true},
		{name: "Home", press: []string{"down", "down", "home", "enter"}, fresh: true},
		{name: "End", press: []string{"end", "enter"}, title: "nightly docs"},
		{name: "typing filters", press: []string{"lib", "enter"}, pod: "librarian"},
		{name: "typing filters by state and last words", press: []string{"idle notes", "enter"}, pod: "librarian"},
		{name: "an ended session is continued", press: []string{"billing", "enter"}, title: "migrate billing to the new tables"},
		{name: "Ctrl-T starts a new pod", press: []string{"ctrl+t"}, fresh: true},
		{name: "Esc clears the filter", press: []string{"zzz", "esc", "home", "down", "enter"}, pod: "implementer"},
		{name: "Esc leaves", press: []string{"esc"}, none: true},
		{name: "Ctrl-C leaves", press: []string{"ctrl+c"}, none: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := openPicker(t, func(context.Context) ([]tui.Entry, error) { return entries(), nil })
				p.press(c.press...)
				choice, ok := p.m.Choice()
				if ok == c.none || choice.New != c.fresh || choice.Entry.Pod != c.pod || choice.Entry.Title != c.title || !p.quit {
					t.Errorf("chose %+v (%v), quit %v", choice, ok, p.quit)
				}
			})
		})
	}
}

func TestPicker_StaysOnItsEntryWhenTheListChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := entries()
		p := openPicker(t, func(context.Context) ([]tui.Entry, error) { return now, nil })
		p.press("down", "down")
		now = append([]tui.Entry{{Pod: "newcomer", Live: true, State: "running", At: time.Now()}}, now...)
		time.Sleep(3 * time.Second)
		p.settle()
		p.press("enter")
		if choice, _ := p.m.Choice(); choice.Entry.Pod != "librarian" {
			t.Errorf("chose %q", choice.Entry.Pod)
		}
	})
}

func TestPicker_SaysWhatIsWrongAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		p := openPicker(t, func(context.Context) ([]tui.Entry, error) {
			if fail {
				return nil, errors.New("read the store: \x1b[2Jlocked")
			}
			return entries(), nil
		})
		if text := plainScreen(p.m.View().Content); !strings.Contains(text, "read the store: locked") {
			t.Error(text)
		}
		fail = false
		time.Sleep(3 * time.Second)
		p.settle()
		if text := plainScreen(p.m.View().Content); !strings.Contains(text, "implementer") || strings.Contains(text, "locked") {
			t.Error(text)
		}
	})
}

func TestPicker_ALongNameLeavesRoomForTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, noPods, func(context.Context, string, string) (tui.Found, error) {
			return tui.Found{Entries: []tui.Entry{{Session: "one", Title: strings.Repeat("a long name ", 10), State: "completed", At: time.Now().Add(-time.Hour)}}}, nil
		})
		p.send(tea.WindowSizeMsg{Width: 40, Height: 15})
		if text := p.text(); !strings.Contains(text, "a long name a long…  completed · 1h") {
			t.Errorf("the state is cut off:\n%s", text)
		}
	})
}
