package rehearsal

import "time"

// Script is everything a Server will say. The zero value has nothing to say
// and refuses every request with a sentence about it.
type Script struct {
	// Name stands in errors and logs; Parse sets it to the name it was given.
	Name string
	// Key is what clients must present. Empty asks for none, "*" for any.
	Key string
	// Models are listed by GET /v1/models, beside the models that actors name.
	Models []string
	// Context is the size in tokens of the model played. A request estimated
	// above it is refused with the vendor's context-overflow error; 0 is endless.
	Context int
	// Repeat starts the replies without conditions again when all were given.
	Repeat bool
	// ReasoningField names the delta field of the chat wire that carries
	// reasoning, on which compatible servers differ: reasoning_content (when
	// empty), reasoning, or none.
	ReasoningField string
	// Pace is the speed of all replies that do not say otherwise.
	Pace Pace
	// Actors split the requests of several agents. Without any, all requests
	// meet all replies.
	Actors  []Actor
	Replies []Reply
}

// Actor is one of several agents played by one server. A request belongs to
// the first actor all of whose patterns it matches.
//
// A pattern is text that must occur, or a regular expression between slashes
// (/^claude-/).
type Actor struct {
	Name string
	// Model is the model name, whole unless it is a regular expression.
	Model string
	// System must occur in the system prompt, User in any text of the user.
	System, User string
}

// Reply is one answer of the model. Its parts are spoken in the order
// Reasoning, Text, Calls; Parts has any other order.
type Reply struct {
	// Name stands in logs and recorded requests; empty is "reply N".
	Name string
	// Actor restricts the reply to one actor; empty is for all.
	Actor string
	// When are the conditions. With any, the reply is a rule.
	When When
	// Default is given when no rule holds and no reply in order is left.
	Default bool
	// Times limits how often the reply is given: 0 is once for a reply in order,
	// without limit for a rule or a default.
	Times int

	Reasoning string
	Text      string
	Calls     []Call
	Parts     []Part
	// Stop is why the model stopped; empty follows from the parts.
	Stop Stop
	// Usage is what the answer reports; nil is an estimate.
	Usage *Usage
	// Pace overrides the script's, field by field.
	Pace Pace
	// Fault breaks the reply, nil leaves it whole.
	Fault *Fault
	// Hold stops the stream until the test lets it go on; not in script files.
	Hold *Hold
}

// Part is one block of an answer: exactly one of its fields is set, except
// that an empty Text part is an empty block.
type Part struct {
	Reasoning string
	Text      string
	Call      *Call
}

// Call is a tool call.
type Call struct {
	Name string
	// Args is a value that encodes to a JSON object, in whose strings templates
	// are filled in. A string is sent as it stands after templates, valid JSON
	// or not. Nil is {}.
	Args any
}

// Args is a tool call's arguments.
type Args = map[string]any

// When holds the conditions of a reply; empty ones are not asked. Patterns are
// those of Actor.
type When struct {
	// Turn is the number of the answer in the conversation as sent, from 1.
	Turn int
	// Step is the number of the answer since the newest text of the user, from 1.
	Step int
	// User must occur in the newest text of the user, System in the system
	// prompt, Result in the newest tool results.
	User, System, Result string
	// Last says what the request ends with: user or tool.
	Last string
	// After names a tool with a result among the newest.
	After string
	// Offers names a tool the request must offer.
	Offers string
}

func (w When) any() bool { return w != When{} }

// Stop says why an answer ends.
type Stop string

// The stops. Each wire has its own words for them.
const (
	StopEnd       Stop = "end"
	StopToolCalls Stop = "tool_calls"
	StopMaxTokens Stop = "max_tokens"
	// StopRefusal makes the text the vendor's refusal.
	StopRefusal Stop = "refusal"
	// StopFilter is the vendor's content filter.
	StopFilter Stop = "content_filter"
)

// Usage is what an answer reports, in tokens.
type Usage struct {
	// Input is the whole prompt, cached parts included.
	Input, Output int
	// CacheRead and CacheWrite are parts of Input.
	CacheRead, CacheWrite int
	// Reasoning is a part of Output.
	Reasoning int
	// Omit reports nothing, as some compatible servers do. The Anthropic wire,
	// which always reports, then reports zeros at its start and nothing after.
	Omit bool
}

// NoWait in the pace of a reply waits for nothing, where 0 takes the script's
// own pace.
const NoWait = time.Nanosecond

// Pace is the speed of an answer.
type Pace struct {
	// First is waited before the first byte, Delay before every delta.
	First, Delay time.Duration
	// Chunk is what one delta of text holds: word (when empty), char, line or
	// whole.
	Chunk string
}

func (p Pace) over(base Pace) Pace {
	if p.First == 0 {
		p.First = base.First
	}
	if p.Delay == 0 {
		p.Delay = base.Delay
	}
	if p.Chunk == "" {
		p.Chunk = base.Chunk
	}
	return p
}

// Fault breaks a reply.
type Fault struct {
	// Kind is what goes wrong; empty is FaultStatus.
	Kind FaultKind
	// Times is how many requests meet the fault before the reply is given whole;
	// 0 is all of them.
	Times int
	// After is the number of deltas sent before a fault inside the stream; beyond
	// the reply's end the fault strikes in place of the end.
	After int
	// Status is the HTTP status (400 to 599) of FaultStatus.
	Status int
	// RetryAfter is sent with FaultStatus; nil sends no header.
	RetryAfter *time.Duration
	// Type, Code and Message replace the vendor's usual ones.
	Type, Code, Message string
	// Ping is the time between the keep-alives of FaultStall; 0 is silence.
	Ping time.Duration
}

// FaultKind is a way to fail.
type FaultKind string

// The kinds of fault.
const (
	// FaultStatus answers with an HTTP status and the vendor's error body.
	FaultStatus FaultKind = "status"
	// FaultOverflow refuses the prompt as too long, in the vendor's words: 400
	// everywhere but on a Responses stream, where the vendor says it in an error
	// event after 200.
	FaultOverflow FaultKind = "overflow"
	// FaultError ends the stream with the vendor's error event: on the Responses
	// wire an error event followed by response.failed, as the vendor sends them.
	FaultError FaultKind = "error"
	// FaultErrorFlat and FaultFailed are other ends of the Responses wire: an
	// error event as the documentation has it, and response.failed alone.
	// Elsewhere they are FaultError.
	FaultErrorFlat FaultKind = "error_flat"
	FaultFailed    FaultKind = "failed"
	// FaultMalformed sends an event that is no JSON, then goes on.
	FaultMalformed FaultKind = "malformed"
	// FaultCut breaks the connection inside the stream.
	FaultCut FaultKind = "cut"
	// FaultEnd ends the stream in good order, but without the wire's end mark.
	FaultEnd FaultKind = "end"
	// FaultStall stops sending until the client leaves.
	FaultStall FaultKind = "stall"
	// FaultHang never sends so much as a status line.
	FaultHang FaultKind = "hang"
	// FaultReset closes the connection instead of answering.
	FaultReset FaultKind = "reset"
)

// Hold stops a stream at a known place, so that a test can act in mid-answer
// without sleeping.
type Hold struct {
	// After is the number of deltas sent before the stop; 0 stops before the
	// first byte.
	After int
	// Until lets the stream go on when it is closed.
	Until <-chan struct{}
}
