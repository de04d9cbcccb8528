// Package builtin holds the tools that come with Podium: Read, Write, Edit,
// Glob, Grep and Bash. Each stands in one file, with the description for the
// model in a .md file beside it.
//
// The file tools stay inside a tool.Scope: they open everything through it and
// know no other way to the disk. Bash cannot be confined so; it is left out
// unless it is asked for.
package builtin
