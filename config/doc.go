// Package config turns everything that may set an option into one Config:
// defaults, the user's file, the project's file, the environment and the
// command line, in that order, a later layer over an earlier one.
//
// A project file arrives with a cloned repository and is not trusted. What it
// may set without being asked is a list (project.go); everything else in it is
// left out with a Notice until the user trusts that folder with that content
// (trust.go). No layer can set what it is not allowed to set by another name:
// an untrusted layer is rebuilt from the allowed keys, not cleaned of the
// others.
//
// The package reads files and the environment it is given. It opens no
// connection, starts nothing, and changes nothing on disk but the trust
// record and the folders that MakeDir is asked for. Secrets travel as Secret,
// which no verb of fmt, no logger and no encoder prints.
package config
