package openai_test

import (
	"testing"

	"podium.local/llm/openai"
)

// BenchmarkStream reads an answer of 1,000 pieces of text.
func BenchmarkStream(b *testing.B) {
	repeat := func(event string, last ...string) []string {
		var events []string
		for range 1000 {
			events = append(events, event)
		}
		return append(events, last...)
	}
	for name, c := range map[string]struct {
		open   constructor
		events []string
	}{
		"chat":      {openai.NewChat, repeat(chunk(`{"content":"some words "}`), ends("stop"), done)},
		"responses": {openai.NewResponses, repeat(`{"type":"response.output_text.delta","sequence_number":4,"item_id":"m","output_index":0,"content_index":0,"delta":"some words "}`, completed)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := play(b, c.open, c.events...); r.Err != nil {
					b.Fatal(r.Err)
				}
			}
		})
	}
}
