// Package web holds the page of Studio: its TypeScript source (src), the
// committed build (dist) and the embedding of that build, so that building the
// program needs Go alone.
//
// dist is made by `make web`; a check compares it with a fresh build.
package web
