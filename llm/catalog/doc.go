// Package catalog knows what models hold and what they cost: a compact table
// made from catwalk's catalogue, under the user's own entries.
//
// The table is text inside the binary, sorted, and searched where it lies:
// nothing is parsed at start-up and nothing is kept in memory. A test compares
// it with the catalogue it was made from and names the command that renews it.
//
// Unknown is never zero. A model without a price has a nil Price, and usage
// that was not reported has no cost. The catalogue writes 0 both for what is
// free and for what it does not know, so its zeros count as unknown; a model is
// free only where the user's own entry says 0. That holds for local servers
// too: what a local model costs nobody but its owner knows.
//
// Prices are the vendors' base rates. Rates that grow with the length of the
// prompt, and those of other service tiers, are not in the catalogue.
package catalog
