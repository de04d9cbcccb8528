// Package podtest helps to test pods: a store in memory, a provider that
// follows a script, and a client that speaks lines.
package podtest
