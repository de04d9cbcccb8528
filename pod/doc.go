// Package pod is the runtime of one long-running agent: the controller, the
// turn loop, the fan-out to clients, the socket server.
//
// Rules that hold everywhere in it:
//   - an entry is committed before it is shown to a client or to the model;
//   - every run ends with exactly one end, whatever ended it;
//   - the run never waits for a client.
package pod
