package client

import (
	"time"

	"podium.local/protocol"
)

// Mode says which vocabulary a connection may use.
type Mode int

// The modes.
const (
	// ModeAuto says hello and falls back to the base vocabulary.
	ModeAuto Mode = iota
	// ModeBase never says hello.
	ModeBase
	// ModeExtended says hello and fails when the pod does not know it.
	ModeExtended
)

// Options are the settings of a connection; the zero value is usable.
type Options struct {
	// Client is what hello calls this program, as "name/version"; other clients
	// see it beside what it sends. Empty means "podium-client/1".
	Client string
	// Mode is ModeAuto unless set.
	Mode Mode
	// Tail is how many history items the snapshot should hold; nil leaves it to
	// the pod.
	Tail *uint64
	// Resume asks for the durable events after a position instead of a snapshot.
	// The pod may still answer with a snapshot.
	Resume *Position
	// Timeout limits connecting and the answer to hello; 0 means 10 s.
	Timeout time.Duration
	// MaxLine is the longest event in bytes; 0 means protocol.DefaultMaxLine.
	MaxLine int
	// Queue is how many bytes of events wait for Recv before the connection stops
	// reading; 0 means 4 MiB. While a Call waits for its answer, which may stand
	// behind them, the limit is sixteen times as high.
	Queue int
	// PodName is the name used in errors; empty takes the name of the socket's
	// folder.
	PodName string
}

// AttachOptions are the settings of a Session.
type AttachOptions struct {
	Options
	// Wait is how long Attach itself waits for a pod that is not running yet; 0
	// fails at once.
	Wait time.Duration
	// GiveUp is how long a lost connection is tried again; 0 means until Close.
	GiveUp time.Duration
	// MinBackoff and MaxBackoff bound the pause between two attempts; 0 means
	// 100 ms and 5 s. The pause doubles and is drawn at random from its upper
	// half.
	MinBackoff, MaxBackoff time.Duration
}

// Position is a place in the life of a pod: what a client has seen of it.
type Position struct {
	PodID protocol.PodID
	// Seq is the last durable event seen; 0 means none.
	Seq uint64
}

const (
	defaultClient  = "podium-client/1"
	defaultTimeout = 10 * time.Second
	defaultQueue   = 4 << 20
	defaultMin     = 100 * time.Millisecond
	defaultMax     = 5 * time.Second
	// eagerness is by how much Queue grows while a Call waits.
	eagerness = 16
)

func (o Options) withDefaults() Options {
	if o.Client == "" {
		o.Client = defaultClient
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	return o
}

func (o AttachOptions) withDefaults() AttachOptions {
	o.Options = o.Options.withDefaults()
	if o.MinBackoff <= 0 {
		o.MinBackoff = defaultMin
	}
	if o.MaxBackoff <= 0 {
		o.MaxBackoff = defaultMax
	}
	o.MaxBackoff = max(o.MaxBackoff, o.MinBackoff)
	return o
}
