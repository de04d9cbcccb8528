// Package vendor holds what every adapter over HTTP needs and none should have
// of its own: the checked address and key of a vendor's endpoint, and one
// reading of everything that can go wrong there. It knows no vendor by name;
// what differs between them comes in as a function.
//
// Nothing that leaves this package holds the key: messages of vendors and of
// the network are redacted before they become an llm.Error.
package vendor
