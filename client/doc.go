// Package client talks to a pod over its socket.
//
// Dial gives one connection: methods go out with Send, events come in with
// Recv or Events, and Call sends a method and waits for the one answer that
// carries its request id. Attach gives a Session, which is a connection that
// comes back: it remembers the last durable event and asks a restarted or
// reconnected pod for what came after.
//
// A connection says hello and then speaks the extended vocabulary. A pod that
// does not know hello is used with the base vocabulary; ModeBase never says
// hello. Nothing is hidden from the stream: events of unknown tags arrive as
// protocol.Unknown, lines that are no events as a *BadLineError, and neither
// ends the connection.
//
// A consumer that does not read makes the connection stop reading in turn, at
// Options.Queue bytes; the pod then drops the connection and a Session
// resumes where it was. Every blocking call takes a context.
package client
