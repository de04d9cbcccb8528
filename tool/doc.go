// Package tool is what an agent may do: a Tool has a description for the
// model and runs with JSON arguments inside a Scope of the file system. The
// tools that come with Podium live in tool/builtin, one file and one
// description each.
//
// A failing tool is not a failing run: its text becomes the result.
//
// A Scope is a rule and a fence. The rule says which level of access a path
// has, judged by where its symbolic links lead; the fence opens files and
// folders one name at a time without following a link, so that what was judged
// is what gets opened even when links are exchanged in between.
package tool
