// Package tool is what an agent may do: a Tool has a description for the
// model and runs with JSON arguments inside a Scope of the file system. The
// tools that come with Podium live in tool/builtin, one file and one
// description each.
//
// A failing tool is not a failing run: its text becomes the result.
package tool
