// Package rehearsal is a scripted model server: it speaks the real wires of
// the model vendors over HTTP and answers from a script instead of a model.
// Tests, the demo and people who want to try an agent without a model use it.
//
// Three wires are served, streamed and not: Anthropic Messages, OpenAI
// Responses and OpenAI chat completions. Requests are checked as the vendors
// check them, so a client that sends an unbalanced history hears it here first.
//
// A Script holds replies. A reply with conditions is a rule and is given
// whenever they hold; replies without conditions are given once each, in
// order; a default reply stands in when nothing else fits. docs/rehearsal.md
// describes the script file.
//
// The package imports nothing else of Podium and keeps no secrets: keys are
// compared and forgotten.
package rehearsal
