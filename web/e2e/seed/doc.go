// Command seed fills a store with a history that the page's browser tests can
// recognise: many sessions that are only rows, and a few whole conversations,
// each with something a reader may meet (tools, diffs, failures, a compaction,
// thousands of entries, hostile text).
//
// Two runs with the same numbers make the same history, counted back from the
// same time. It is part of the browser tests and of nothing else.
package main
