package client

import "time"

// Explain is explain, for errors that a test run by root cannot provoke.
var Explain = explain

// MaxPath is the platform's limit.
const MaxPath = maxPath

// Queued is how many bytes of events wait for Recv.
func (c *Conn) Queued() int {
	c.stream.mu.Lock()
	defer c.stream.mu.Unlock()
	return c.stream.bytes
}

// Pauses are the first n pauses of a backoff.
func Pauses(least, most time.Duration, n int) []time.Duration {
	b := backoff{least: least, most: most}
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = b.next()
	}
	return out
}
