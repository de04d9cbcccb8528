// Package store keeps sessions in one SQLite file that many processes share.
//
// Two kinds of file are opened. A Podium store is ours: pods write their logs
// into it. An adopted store belongs to lionagi: it is read, and receives
// nothing but the listing indexes, the listing identity, our own record and
// tags.
//
// Rules that hold everywhere in it:
//   - a call that writes is one transaction, on disk when the call returns;
//   - a counter is written by the transaction that makes it true;
//   - a status changes together with its reason and its transition row, and a
//     terminal status is a floor that only a named override leaves;
//   - nothing is rewritten as a session grows: a commit costs what it appends.
//
// A Store has one writing connection and a small pool of reading ones. Times
// are given by the caller or by Options.Now and stored as Unix seconds.
package store
