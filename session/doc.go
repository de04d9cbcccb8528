// Package session is what a conversation is: one append-only log of entries
// with an opaque id, and the pure functions over it. It knows neither the
// database that keeps the log nor the model that reads it.
//
// One log, one emitter a fact: what clients see, what the model reads and
// what the listing shows are all derived from the same entries. Nothing
// reaches the model that is not in the log.
//
// Types here are stored types. The wire has its own (protocol), HTTP has its
// own (studio); protocol.SessionID and protocol.PodID are the exception.
package session
