// Package studio is the HTTP daemon over a session store: the v1 listings
// and detail, streams, projects, usage, and the page.
//
// A request passes, outermost first: Host check, CORS, origin check, JSON
// content type, bearer, route. The rules are in one place (boundary.go) and a
// route cannot opt out of them; the whole list of routes is one table
// (routes.go), from which the OpenAPI document is made.
//
// The two listings answer as version 1 always did: order, counts, derived
// fields, error bodies and the text of numbers. What a handler needs of a
// store or of the operating system it names as an interface (ports.go); the
// command joins them.
//
// The package does not know SQL and never writes to a file that it serves.
package studio
