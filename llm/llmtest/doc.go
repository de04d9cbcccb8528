// Package llmtest helps tests of and with model access: a Provider that answers
// from a script in memory, a reader that checks what every Provider promises,
// and the contract suite that every adapter runs against the rehearsal server.
package llmtest
