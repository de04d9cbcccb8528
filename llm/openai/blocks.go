package openai

import (
	"bytes"
	"encoding/json"

	"podium.local/llm"
)

// blocks puts the blocks of an answer in a row. The wires may mix the pieces of
// several; llm.Delta promises that they do not overlap. The first block that
// opened streams on as it comes; those behind it wait, in the order in which
// they opened, and are told whole once their turn comes.
type blocks struct {
	// row holds what has opened and not been stopped; row[0] is being told.
	row []*block
	// out collects the deltas of one event.
	out   []llm.Delta
	calls bool
}

// block is one block of the answer.
type block struct {
	start llm.BlockStart
	// text is all that came of a call, and of other kinds what waits to be told.
	text    []byte
	told    int
	started bool
	done    bool
	opaque  json.RawMessage
}

// open begins a block.
func (b *blocks) open(start llm.BlockStart) *block {
	blk := &block{start: start}
	b.calls = b.calls || start.Kind == llm.BlockToolCall
	b.row = append(b.row, blk)
	b.advance()
	return blk
}

// write adds a piece to a block that is not done.
func (b *blocks) write(blk *block, text string) {
	blk.text = append(blk.text, text...)
	b.advance()
}

// done completes a block; a second time changes nothing.
func (b *blocks) done(blk *block, opaque json.RawMessage) {
	if blk.done {
		return
	}
	blk.done, blk.opaque = true, opaque
	b.advance()
}

// finish completes every block.
func (b *blocks) finish() {
	for len(b.row) > 0 {
		b.done(b.row[0], nil)
	}
}

// advance tells what may be told.
func (b *blocks) advance() {
	for len(b.row) > 0 {
		blk := b.row[0]
		if !blk.started {
			blk.started = true
			b.out = append(b.out, blk.start)
		}
		if rest := blk.text[blk.told:]; len(rest) > 0 {
			b.out = append(b.out, llm.BlockDelta{Text: string(rest)})
			if blk.start.Kind == llm.BlockToolCall {
				blk.told = len(blk.text)
			} else {
				blk.text = blk.text[:0]
			}
		}
		if !blk.done {
			return
		}
		b.out = append(b.out, llm.BlockStop{Opaque: blk.opaque})
		b.row = b.row[1:]
	}
}

// take hands over the deltas collected since the last call.
func (b *blocks) take() []llm.Delta {
	out := b.out
	b.out = nil
	return out
}

// complete reports whether a call's arguments are a whole JSON value, so that
// nothing can follow.
func (blk *block) complete() bool {
	return len(bytes.TrimSpace(blk.text)) > 0 && json.Valid(blk.text)
}
