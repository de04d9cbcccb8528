// Package podium is the root of Podium, which hosts long-running agents on
// your machine and keeps every session findable. It holds no code, only the
// test that keeps the layout (layout_test.go).
//
// Where to start reading:
//
//   - protocol: the words a pod and its clients speak;
//   - session: what a conversation is, an append-only log and the pure
//     functions over it;
//   - pod: the runtime of one agent, which commits before it shows;
//   - store: the one SQLite file that all of it lands in;
//   - cmd/podium: the only place where the parts meet.
//
// docs/architecture.md follows a prompt through all of them. Packages are not
// a library for other modules: their Go names may change with any release. What
// stays is the wire (protocol) and the HTTP interface.
package podium
