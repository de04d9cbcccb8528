// Package pod is the runtime of one long-running agent: the controller, the
// turn loop, the fan-out to clients, the socket server, compaction.
//
// Rules that hold everywhere in it:
//   - an entry is committed before it is shown to a client or to the model, and
//     events are published in the order of the log;
//   - every run ends with exactly one end, whatever ended it, a kill included;
//   - the run never waits for a client: what a client does not read in time is
//     joined, and beyond a bound the client is disconnected to come back with
//     the number of the last event it saw;
//   - a stop never needs the store: it waits for it a few seconds at most.
//
// A method travels from a connection's reader (socket.go) to the controller
// (controller.go), which judges it in the state of that moment and starts,
// stops and ends runs. A run (run.go) is a loop of model requests (turn.go,
// request.go) and tool rounds (toolround.go). Whatever they say goes through
// record.go, which commits and publishes in one step, into the hub (hub.go),
// where each client has a queue and a writer (client.go). What a client asks
// for beyond the live stream is rendered from the log by its own writer
// (answer.go, hello.go). Compaction has the files compact.go, guard.go and
// summary.go; recover.go takes up what an earlier process left.
package pod
