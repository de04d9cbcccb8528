// Package llm is what a model call is: one streaming request to a vendor,
// described without the vendor's words. The folders below it hold one adapter
// a vendor; no adapter imports another.
//
// A Provider does exactly one attempt. Retries, timeouts between events and
// what happens on cancel belong to the caller, who alone knows what was shown.
package llm
