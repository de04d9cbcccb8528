package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"podium.local/protocol"
)

// Entry is a pod or an ended session that can be picked.
type Entry struct {
	// Pod is the pod's name, empty for a session without one.
	Pod string
	// Live says that the pod can be attached to; State is its state, or how the
	// session ended.
	Live  bool
	State string
	// Session is the session's id.
	Session string
	// Title is what the session is about, Last the last thing that was said.
	Title, Last string
	Model, Dir  string
	// Origin is the program whose session it is, empty for a pod's. Sessions of
	// other programs are listed for a filter only.
	Origin string
	// Note is said when it is chosen; choosing it once more takes it, unless it
	// is ReadOnly and cannot be taken.
	Note     string
	ReadOnly bool
	// At is when something last happened.
	At time.Time
	// CostUSD is nil when unknown; CostPartial says that it is only part.
	CostUSD     *float64
	CostPartial bool
}

// Choice is what was picked.
type Choice struct {
	// New asks for a new pod here; otherwise Entry is the one picked.
	New   bool
	Entry Entry
}

// PickerOptions say what a picker shows.
type PickerOptions struct {
	// List gives the pods; it is asked again while the picker is open.
	List func(ctx context.Context) ([]Entry, error)
	// Search goes through ended sessions besides; nil when there are none.
	Search Searcher
	// Dir is the folder in which a new pod would work.
	Dir          string
	ASCII, Light bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Pick lets a person choose. ok is false when she left without.
func Pick(ctx context.Context, t Terminal, o PickerOptions) (choice Choice, ok bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := NewPicker(ctx, o)
	if err := t.run(ctx, p); err != nil {
		return Choice{}, false, fmt.Errorf("run the picker: %w", err)
	}
	choice, ok = p.Choice()
	return choice, ok, p.failure
}

// Picker is the list of what can be attached to.
type Picker struct {
	o             PickerOptions
	ctx           context.Context
	r             *renderer
	now           time.Time
	width, height int
	entries       []Entry
	found         search
	shown         []Entry
	loaded        bool
	filter        editor
	at            int
	// noted is the entry whose note was said last, by its key.
	noted     string
	choice    *Choice
	failure   error
	complaint string
}

type listedMsg struct {
	entries []Entry
	err     error
}

type relistMsg struct{}

const relistPeriod = 2 * time.Second

// NewPicker makes a picker.
func NewPicker(ctx context.Context, o PickerOptions) *Picker {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Picker{o: o, ctx: ctx, now: o.Now(), width: 80, height: 24, filter: newEditor()}
	p.r = &renderer{theme: newTheme(!o.Light, o.ASCII), method: ansi.WcWidth, width: 78, generation: 1}
	return p
}

// Choice is what was picked; false when nothing was.
func (p *Picker) Choice() (Choice, bool) {
	if p.choice == nil {
		return Choice{}, false
	}
	return *p.choice, true
}

// Init lists for the first time.
func (p *Picker) Init() tea.Cmd { return tea.Batch(p.list, p.look(), tea.RequestBackgroundColor) }

func (p *Picker) list() tea.Msg {
	entries, err := p.o.List(p.ctx)
	return listedMsg{entries, err}
}

// Update takes one message.
func (p *Picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.now = p.o.Now()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = max(1, msg.Width), max(1, msg.Height)
		p.r.width = max(1, p.width-margin)
	case tea.BackgroundColorMsg:
		p.r.theme = newTheme(msg.IsDark(), p.o.ASCII)
	case listedMsg:
		p.listed(msg)
		return p, tea.Tick(relistPeriod, func(time.Time) tea.Msg { return relistMsg{} })
	case relistMsg:
		return p, p.list
	case searchDueMsg:
		if msg.generation == p.found.generation {
			return p, p.look()
		}
	case searchMsg:
		p.searched(msg)
	case tea.PasteMsg:
		p.filter.insert(cleanLine(msg.Content))
		return p, p.filterChanged()
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			p.move(-1)
		case tea.MouseWheelDown:
			p.move(1)
			return p, p.goOn()
		}
	case tea.KeyPressMsg:
		return p, p.key(msg)
	}
	return p, nil
}

// listed takes a new list and stays on the entry that was chosen.
func (p *Picker) listed(msg listedMsg) {
	p.complaint = ""
	if msg.err != nil {
		if !p.loaded {
			p.loaded = true
		}
		p.complaint = cleanLine(msg.err.Error())
		return
	}
	first := !p.loaded
	p.entries, p.loaded = msg.entries, true
	p.keepPlace(p.refilter)
	if first {
		p.at = min(1, len(p.shown))
	}
}

// keepPlace changes the list and stays on the entry that was chosen.
func (p *Picker) keepPlace(change func()) {
	var current string
	if p.at > 0 && p.at <= len(p.shown) {
		current = p.shown[p.at-1].key()
	}
	change()
	if current == "" {
		if p.filter.text != "" {
			p.at = min(1, len(p.shown))
		}
		return
	}
	for i, e := range p.shown {
		if e.key() == current {
			p.at = i + 1
		}
	}
}

func (e Entry) name() string { return cmp.Or(e.Pod, e.Title, e.Session) }

func (e Entry) key() string { return e.Pod + "\x00" + e.Session }

// rank puts what wants a person first.
func (e Entry) rank() int {
	switch {
	case !e.Live:
		return 2
	case e.State == string(protocol.StateIdle):
		return 1
	default:
		return 0
	}
}

func (p *Picker) refilter() {
	words := strings.Fields(strings.ToLower(p.filter.text))
	p.shown = nil
	for _, e := range p.all() {
		text := strings.ToLower(strings.Join([]string{e.Pod, e.State, e.Session, e.Title, e.Last, e.Model, e.Dir, e.Origin}, " "))
		if e.Origin != "" && len(words) == 0 {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			p.shown = append(p.shown, e)
		}
	}
	slices.SortStableFunc(p.shown, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.likeness(words), b.likeness(words)), cmp.Compare(a.rank(), b.rank()), b.At.Compare(a.At))
	})
	p.at = min(p.at, len(p.shown))
}

func (p *Picker) move(by int) { p.at = max(0, min(p.at+by, len(p.shown))) }

func (p *Picker) key(k tea.KeyPressMsg) tea.Cmd {
	noted := p.noted
	p.noted = ""
	switch k.String() {
	case "ctrl+c", "ctrl+d":
		return tea.Quit
	case "esc":
		if p.filter.text == "" {
			return tea.Quit
		}
		p.filter.set("")
		return p.filterChanged()
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
	case "down", "ctrl+n", "tab":
		p.move(1)
		return p.goOn()
	case "pgup":
		p.move(-p.page())
	case "pgdown":
		p.move(p.page())
		return p.goOn()
	case "home":
		p.at = 0
	case "end":
		p.at = len(p.shown)
		return p.goOn()
	case "ctrl+t":
		p.choice = &Choice{New: true}
		return tea.Quit
	case "enter":
		if !p.loaded || p.nothing() {
			return nil
		}
		if p.at == 0 {
			p.choice = &Choice{New: true}
			return tea.Quit
		}
		e := p.shown[p.at-1]
		if e.Note != "" && (e.ReadOnly || noted != e.key()) {
			p.noted = e.key()
			return nil
		}
		p.choice = &Choice{Entry: e}
		return tea.Quit
	case "backspace", "ctrl+h":
		p.filter.backspace()
		return p.filterChanged()
	case "ctrl+u":
		p.filter.set("")
		return p.filterChanged()
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta) == 0 {
			p.filter.insert(k.Text)
			p.at = 0
			return p.filterChanged()
		}
	}
	return nil
}

// nothing reports whether a filter has left nothing to choose.
func (p *Picker) nothing() bool { return p.filter.text != "" && len(p.shown) == 0 }

// page is how many entries fit: each takes two rows.
func (p *Picker) page() int { return max(1, (p.height-3-max(2, len(p.foot())))/2) }

// View draws the list.
func (p *Picker) View() tea.View {
	prompt := p.r.user.Render(p.r.theme.shapes.user) + " "
	filter := p.filter.text
	if filter == "" {
		filter = p.r.soft.Render("type to filter")
	}
	lines := []string{p.r.fit("  "+p.r.bold.Render("Podium")+p.r.soft.Render(p.r.dot+"pods and recent sessions"), p.width), p.r.fit(prompt+filter, p.width)}
	lines = append(lines, p.rows()...)
	foot := p.foot()
	last := max(0, p.height-len(foot))
	lines = lines[:min(len(lines), last)]
	for len(lines) < last {
		lines = append(lines, "")
	}
	lines = append(lines, foot[max(0, len(foot)-p.height):]...)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "podium"
	v.Cursor = tea.NewCursor(min(p.width-1, margin+p.r.method.StringWidth(p.filter.text)), 1)
	return v
}

// foot are the rows below the list: how far the search has come, and the keys
// or what has to be said instead.
func (p *Picker) foot() []string {
	var lines []string
	if reach := p.reach(); reach != "" {
		lines = append(lines, "  "+p.r.soft.Render(p.r.fit(reach, p.r.width)))
	}
	text, style := "Enter attaches or continues"+p.r.dot+"Ctrl-T starts a new pod"+p.r.dot+"Esc leaves", p.r.soft
	switch {
	case p.complaint != "":
		text, style = p.complaint, p.r.failed
	case p.noted != "" && p.at > 0 && p.shown[p.at-1].key() == p.noted:
		for _, l := range p.r.wrap(cleanLine(p.shown[p.at-1].Note), p.r.width) {
			lines = append(lines, "  "+p.r.waiting.Render(l))
		}
		return lines
	}
	return append(lines, "  "+style.Render(p.r.fit(text, p.r.width)))
}

// rows are the rows of the list: the new pod, then two for each entry.
func (p *Picker) rows() []string {
	mark := func(i int) string {
		if i == p.at && !p.nothing() {
			return p.r.key.Render(p.r.cursor) + " "
		}
		return "  "
	}
	page := p.page()
	begin := max(0, min(p.at-page/2, len(p.shown)-page))
	var lines []string
	if begin == 0 {
		lines = append(lines, mark(0)+p.r.fit(p.r.key.Render("+")+" start a new pod here  "+p.r.soft.Render(cleanLine(p.o.Dir)), p.r.width))
	}
	for i := begin; i < min(begin+page, len(p.shown)); i++ {
		for _, l := range p.entry(p.shown[i]) {
			lines = append(lines, mark(i+1)+p.r.fit(l, p.r.width))
		}
	}
	switch {
	case !p.loaded:
		lines = append(lines, "  "+p.r.soft.Render("looking"))
	case len(p.shown) == 0 && p.found.looking:
	case len(p.shown) == 0 && p.filter.text == "" && p.found.next == "":
		lines = append(lines, "", "  "+p.r.soft.Render(p.emptyWords()))
	case p.nothing():
		lines = append(lines, "", "  "+p.r.soft.Render("Nothing matches; Esc clears the filter."))
	}
	return lines
}

// emptyWords say that there is nothing to list, and where the sessions of
// other programs are.
func (p *Picker) emptyWords() string {
	if slices.ContainsFunc(p.found.entries, func(e Entry) bool { return e.Origin != "" }) {
		return "No pod yet. Type to find a session of another program."
	}
	return "No pod and no session yet."
}

// entry are the two rows of one entry.
func (p *Picker) entry(e Entry) []string {
	shape, style := p.r.cancelled, p.r.soft
	switch {
	case e.State == string(protocol.StateRunning) && e.Live:
		shape, style = p.r.spin(p.now), p.r.running
	case e.State == string(protocol.StateCompacting) && e.Live:
		shape, style = p.r.theme.shapes.compacting, p.r.compacting
	case e.State == string(protocol.StatePaused) && e.Live:
		shape, style = p.r.theme.shapes.paused, p.r.paused
	case e.State == string(protocol.StateIdle) && e.Live:
		shape, style = p.r.theme.shapes.idle, p.r.idle
	case e.Live, e.State == "dead":
		shape, style = p.r.theme.shapes.lost, p.r.lost
	case e.State == "failed", e.State == "timed_out":
		shape, style = p.r.theme.shapes.failed, p.r.failed
	case e.State == "completed", e.State == "ended":
		shape, style = p.r.theme.shapes.done, p.r.completed
	}
	name := cleanLine(e.name())
	when := p.r.dash
	if !e.At.IsZero() {
		when = age(p.now.Sub(e.At))
	}
	right := []string{style.Render(cleanLine(e.State)), p.r.soft.Render(when), p.r.soft.Render(money(e.CostUSD, e.CostPartial, p.r.dash))}
	facts := strings.Join(right, p.r.soft.Render(p.r.dot))
	// A long name leaves room for what is to be known of it.
	shown := p.r.fit(name, max(p.r.width/2, p.r.width-p.r.method.StringWidth(facts)-4))
	first := style.Render(shape) + " " + p.r.bold.Render(shown) + "  " + facts
	about := cleanLine(cmp.Or(e.Last, e.Title))
	if about == name {
		about = "" // it stands above
	}
	second := strings.Join(slices.DeleteFunc([]string{cleanLine(protocol.ShortID(e.Session)), cleanLine(e.Origin), cleanLine(e.Model), about}, func(s string) bool { return s == "" }), p.r.dot)
	return []string{first, "  " + p.r.soft.Render(second)}
}
