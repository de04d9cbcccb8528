package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"podium.local/protocol"
)

// Options say what a Model shows and what it may use of the outside.
type Options struct {
	// Connect connects to the pod.
	Connect func(ctx context.Context) (Pod, error)
	// Start starts a pod that has ended or was killed again; nil when nobody can.
	Start func(ctx context.Context) error
	// Name is what the pod is called, Model the model it talks to; both may be
	// empty until the pod says so.
	Name, Model string
	// Dir is the folder the agent works in, left out of the paths of tool lines.
	Dir string
	// Client is what this client calls itself in hello, as other clients see it.
	Client string
	// Continue is the command that continues the session of an ended pod.
	Continue string
	// History keeps the inputs of the project; nil keeps them while the program
	// runs.
	History History
	// Files lists the project's files for completion; nil offers none.
	Files func(ctx context.Context) ([]string, error)
	// Log says what the items of a history leave out; nil knows nothing.
	Log Log
	// Spent is what the sessions before one used; nil knows nothing.
	Spent func(ctx context.Context, session string) (Spent, error)
	// Editor is the external editor's command; empty means there is none.
	Editor []string
	// ASCII draws with characters of ASCII alone, Light assumes a light
	// background until the terminal says which it has.
	ASCII, Light bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Model is the state of the screen. It is made by NewModel and driven by a
// tea.Program.
type Model struct {
	o    Options
	ctx  context.Context
	r    *renderer
	now  time.Time
	conv *conversation
	win  window
	st   status
	feed *feed

	width, height int
	// resized counts the changes of size.
	resized int
	editor  editor
	recall  recall
	comp    completion

	// pending is an input on its way; queue are those that wait for the run to
	// end, held says that they wait for Enter.
	pending *sending
	queue   []string
	held    bool
	// promised says that they were written to start the pod: how a run of
	// earlier ended does not hold them.
	promised bool
	// own are the entries of inputs that this client sent.
	own map[string]bool
	// asked are the methods that wait for their answer, by their tags, and since
	// when.
	asked map[string]time.Time
	// live is what a resumed hello told of the unfinished rest; it holds once
	// the events up to liveAt have come.
	live     *protocol.Live
	liveAt   uint64
	seq      uint64
	features map[string]bool
	// ended is the entry of the newest end of a run.
	ended string

	flash    flash
	armed    string
	armedTo  time.Time
	help     bool
	helpAt   int
	selected *block
	ticking  bool
	farewell string
	failure  error
	// starting says that the pod is being started again.
	starting bool
	// noticed are the notifications seen: a pod tells them again at each
	// connection.
	noticed map[string]bool
}

// pressAgain is the time in which a two-press key must be pressed again.
const pressAgain = 3 * time.Second

// NewModel makes the screen for one pod. The context ends what the model's
// commands do.
func NewModel(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		o: o, ctx: ctx, now: o.Now(), conv: newConversation(), win: window{follow: true}, width: 80, height: 24,
		editor: newEditor(), own: map[string]bool{}, asked: map[string]time.Time{}, features: map[string]bool{}, noticed: map[string]bool{},
	}
	m.st.pod, m.st.model = o.Name, o.Model
	m.r = &renderer{theme: newTheme(!o.Light, o.ASCII), method: ansi.WcWidth, dir: o.Dir, generation: 1}
	m.resize(m.width, m.height)
	return m
}

// Init connects and asks the terminal what it can do.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.connect, m.loadHistory(), tea.RequestBackgroundColor, m.tick())
}

// Close ends the connection; the pod lives on.
func (m *Model) Close() {
	if m.feed != nil {
		m.feed.stop()
		m.feed = nil
	}
}

// Farewell is what is to be said on the plain screen afterwards, and Failure
// why the pod could not be reached at all.
func (m *Model) Farewell() string { return m.farewell }

// Failure is the error with which the first connection failed.
func (m *Model) Failure() error { return m.failure }

// resize lays everything out for another size.
func (m *Model) resize(width, height int) {
	m.width, m.height = max(1, width), max(1, height)
	if w := max(1, m.width-margin); w != m.r.width {
		m.r.width = w
		m.relayout()
	}
}

// relayout makes every layout stale.
func (m *Model) relayout() {
	m.r.tableRenderers = nil
	m.r.generation++
}

// margin is the columns on the left that carry the shapes.
const margin = 2
