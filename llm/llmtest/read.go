package llmtest

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
)

// Reading is a stream read to its end.
type Reading struct {
	Deltas []llm.Delta
	Blocks []Block
	Usage  llm.Usage
	// Reason is empty when the answer did not finish.
	Reason llm.StopReason
	// Err is what ended the answer, nil after a Finish.
	Err error
	// Broken is the first promise of llm.Provider that the stream did not keep.
	Broken error
}

// Block is one block of a Reading. Open is set when it was never stopped.
type Block struct {
	Kind     llm.BlockKind
	ID, Name string
	Text     string
	Opaque   json.RawMessage
	Open     bool
}

// Read reads a stream and checks the order of what it yields.
func Read(stream iter.Seq2[llm.Delta, error]) Reading {
	var r Reading
	for d, err := range stream {
		r.take(d, err)
	}
	if r.Reason == "" && r.Err == nil {
		r.fault("the stream ended without a Finish and without an error")
	}
	return r
}

// Message is the answer as it goes into the next request.
func (r Reading) Message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	for _, b := range r.Blocks {
		switch b.Kind {
		case llm.BlockText:
			m.Blocks = append(m.Blocks, llm.Text{Text: b.Text})
		case llm.BlockReasoning:
			m.Blocks = append(m.Blocks, llm.Reasoning{Text: b.Text, Opaque: b.Opaque})
		case llm.BlockToolCall:
			m.Blocks = append(m.Blocks, llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: json.RawMessage(b.Text)})
		}
	}
	return m
}

// Text is the text of the blocks of one kind, joined.
func (r Reading) Text(kind llm.BlockKind) string {
	var s strings.Builder
	for _, b := range r.Blocks {
		if b.Kind == kind {
			s.WriteString(b.Text)
		}
	}
	return s.String()
}

// Calls are the tool calls.
func (r Reading) Calls() []Block {
	var calls []Block
	for _, b := range r.Blocks {
		if b.Kind == llm.BlockToolCall {
			calls = append(calls, b)
		}
	}
	return calls
}

func (r *Reading) take(d llm.Delta, err error) {
	switch {
	case r.Err != nil:
		r.fault("something follows an error")
	case r.Reason != "":
		r.fault("something follows the Finish")
	}
	if err != nil {
		if d != nil {
			r.fault("an error comes with a %T", d)
		}
		r.Err = err
		return
	}
	r.Deltas = append(r.Deltas, d)
	switch d := d.(type) {
	case llm.BlockStart:
		if r.open() != nil {
			r.fault("a block begins while another is open")
		}
		switch {
		case d.Kind == llm.BlockToolCall && (d.ID == "" || d.Name == ""):
			r.fault("a tool call has no id or no name")
		case d.Kind != llm.BlockToolCall && (d.ID != "" || d.Name != ""):
			r.fault("a block of kind %s has an id or a name", d.Kind)
		}
		r.Blocks = append(r.Blocks, Block{Kind: d.Kind, ID: d.ID, Name: d.Name, Open: true})
	case llm.BlockDelta:
		b := r.open()
		if b == nil {
			r.fault("a BlockDelta comes outside of a block")
			return
		}
		if d.Text == "" {
			r.fault("a BlockDelta is empty")
		}
		b.Text += d.Text
	case llm.BlockStop:
		b := r.open()
		if b == nil {
			r.fault("a BlockStop comes outside of a block")
			return
		}
		if len(d.Opaque) > 0 && (b.Kind != llm.BlockReasoning || !json.Valid(d.Opaque)) {
			r.fault("a block of kind %s has the opaque part %q", b.Kind, d.Opaque)
		}
		b.Opaque, b.Open = d.Opaque, false
	case llm.UsageReport:
		r.Usage.Merge(d.Usage)
	case llm.Finish:
		if r.open() != nil {
			r.fault("the answer finishes while a block is open")
		}
		r.Reason = d.Reason
	default:
		r.fault("a delta is a %T", d)
	}
}

// open is the open block, or nil.
func (r *Reading) open() *Block {
	if n := len(r.Blocks); n > 0 && r.Blocks[n-1].Open {
		return &r.Blocks[n-1]
	}
	return nil
}

// WantJSON fails the test where got is not the same JSON as want. What matters
// is the value; the order of members does not.
func WantJSON(tb testing.TB, want, got string) {
	tb.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		tb.Fatalf("the JSON wanted is none: %v", err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		tb.Errorf("%q is no JSON: %v", got, err)
		return
	}
	if d := cmp.Diff(w, g); d != "" {
		tb.Error(d)
	}
}

func (r *Reading) fault(format string, args ...any) {
	if r.Broken == nil {
		r.Broken = fmt.Errorf(format, args...)
	}
}
