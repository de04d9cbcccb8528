// Package protocol is the wire between a pod and its clients: JSON Lines on
// a Unix socket, one Method a line from the client, one Event a line from
// the pod.
//
// There are two vocabularies on one socket. The base vocabulary is eight
// methods and seventeen events; a client that never says hello gets these
// tags and nothing else, because an unknown event tag ends older readers.
// The extended vocabulary adds events and fields on top of it, never instead
// of it, and starts with the hello method.
//
// Methods are read strictly (an unknown tag, a repeated key, a missing field
// is an error for that line), events tolerantly (an unknown tag, code, result,
// level or source keeps its raw word). Writing is canonical: tag, content,
// seq, request_id, compact JSON without HTML escaping.
//
// Reader and Writer frame lines; a Budget bounds what all Readers of a pod hold
// together. Event.Base is the one place that knows what a base client may see.
//
// The package imports nothing of Podium and holds no behaviour beyond the
// codec and the framing. docs/protocol.md and schema/*.json are generated from
// its types and comments.
package protocol

//go:generate go test -run ^Test(Docs|Schema)_.*Follow -update .
