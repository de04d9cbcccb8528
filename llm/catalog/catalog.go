package catalog

import (
	_ "embed"
	"math"
	"net/url"
	"strconv"
	"strings"

	"podium.local/llm"
)

// Model is what is known of a model.
type Model struct {
	// ContextTokens is how much the model holds, MaxOutput how long an answer may
	// be; 0 is unknown.
	ContextTokens, MaxOutput int64
	// Price is nil when it is unknown.
	Price *Price
}

// Price is in US dollars for a million tokens.
type Price struct {
	Input, Output float64
	// CacheRead and CacheWrite are nil for vendors that name no rate of their own
	// for cached tokens; those then cost as much as others.
	CacheRead, CacheWrite *float64
	// Source says who named the price.
	Source Source
}

// Source is where a price comes from.
type Source string

// The sources. A price counts as the user's when any of its rates is.
const (
	SourceCatalog Source = "catalog"
	SourceConfig  Source = "config"
)

// Override is what a user knows of a model. What it leaves nil or 0 stays as
// the catalogue has it.
type Override struct {
	// Rates, in US dollars for a million tokens; 0 is free.
	Input, Output, CacheRead, CacheWrite *float64
	ContextTokens                        int64
}

// Catalog looks models up. The zero value has no overrides. It is safe for
// concurrent use.
type Catalog struct{ overrides map[string]Override }

// New makes a catalogue with the user's entries, by model id. The map must not
// be changed afterwards.
func New(overrides map[string]Override) Catalog { return Catalog{overrides} }

// Lookup finds a model of a provider: one of ours (anthropic, openai,
// openai-chat, gemini, ollama), or one of the catalogue's (deepseek, groq, …;
// see ProviderAt). ok is false when neither the user nor the catalogue knows
// the model.
func (c Catalog) Lookup(provider, model string) (m Model, ok bool) {
	m, ok = find(provider, model)
	o, own := c.overrides[model]
	if !own {
		return m, ok
	}
	if o.ContextTokens > 0 {
		m.ContextTokens = o.ContextTokens
	}
	m.Price = o.price(m.Price)
	return m, true
}

// price puts the override's rates over those of the catalogue. Half a price is
// none.
func (o Override) price(base *Price) *Price {
	if o.Input == nil && o.Output == nil && o.CacheRead == nil && o.CacheWrite == nil {
		return base
	}
	if base == nil && (o.Input == nil || o.Output == nil) {
		return nil
	}
	p := Price{Source: SourceConfig}
	if base != nil {
		p = *base
		p.Source = SourceConfig
	}
	if o.Input != nil {
		p.Input = *o.Input
	}
	if o.Output != nil {
		p.Output = *o.Output
	}
	if o.CacheRead != nil {
		p.CacheRead = o.CacheRead
	}
	if o.CacheWrite != nil {
		p.CacheWrite = o.CacheWrite
	}
	return &p
}

// Cost is what a request cost in US dollars; nil when the price is unknown or
// the usage was not reported. A nil Price has no cost.
func (p *Price) Cost(u llm.Usage) *float64 {
	if p == nil || u.Input == nil || u.Output == nil {
		return nil
	}
	fresh := *u.Input
	var cost float64
	for _, cached := range []struct {
		tokens *int64
		rate   *float64
	}{{u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}} {
		// What has no rate of its own stays among the fresh tokens.
		if cached.tokens != nil && cached.rate != nil {
			part := min(*cached.tokens, fresh) // parts of Input, whatever a server says
			fresh -= part
			cost += float64(part) * *cached.rate
		}
	}
	cost = (cost + float64(fresh)*p.Input + float64(*u.Output)*p.Output) / 1e6
	if math.IsNaN(cost) || math.IsInf(cost, 0) || cost < 0 {
		return nil
	}
	return &cost
}

// ProviderAt is the name to look models up under for a provider at a base URL:
// the vendor whose address it is, where the catalogue knows it, else the
// provider itself. An empty address is the provider's own.
func ProviderAt(provider, baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return provider
	}
	address := strings.ToLower(u.Host) + strings.TrimRight(u.Path, "/") + "/"
	best := ""
	for line := range strings.Lines(endpoints) {
		at, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if len(at) > len(best) && strings.HasPrefix(address, at+"/") {
			best, provider = at, name
		}
	}
	return provider
}

// table has a line for every model: provider, model, context size, answer size,
// and the rates for input, output, cache read and cache write; "-" is unknown.
// It is sorted by its first two columns.
//
//go:embed table.tsv
var table string

// endpoints has a line for every vendor with an address: host and path, name.
//
//go:embed endpoints.tsv
var endpoints string

// find looks a model up as it is called, then under the names that are used for
// the same one: without the prefix of Gemini's list, and with or without the
// date of a snapshot.
func find(provider, model string) (Model, bool) {
	switch provider {
	case "openai-chat":
		provider = "openai"
	case "gemini":
		model = strings.TrimPrefix(model, "models/")
	case "ollama":
		return Model{}, false
	}
	if strings.ContainsAny(provider+model, "\t\n") {
		return Model{}, false
	}
	if line, ok := entry(provider, model); ok {
		return parse(line), true
	}
	bare := undated(model)
	if line, ok := entry(provider, bare); ok && bare != model {
		return parse(line), true
	}
	if bare != model && !strings.HasSuffix(model, "-latest") {
		return Model{}, false // a snapshot that is not this one
	}
	// The newest snapshot is the last of those with the name in front.
	var newest string
	prefix := provider + "\t" + bare + "-"
	for line, ok := lineAfter(prefix); ok && strings.HasPrefix(line, prefix); line, ok = lineAfter(line + "\n") {
		if name, _, _ := strings.Cut(line[len(provider)+1:], "\t"); undated(name) == bare {
			newest = line
		}
	}
	if newest == "" {
		return Model{}, false
	}
	return parse(newest), true
}

// entry is the line of exactly this model.
func entry(provider, model string) (string, bool) {
	key := provider + "\t" + model + "\t"
	line, ok := lineAfter(key)
	return line, ok && strings.HasPrefix(line, key)
}

// undated takes the date of a snapshot off a model's name: -20251001 or
// -2025-10-01, and the word latest.
func undated(model string) string {
	if bare, ok := strings.CutSuffix(model, "-latest"); ok {
		return bare
	}
	for _, form := range []string{"-00000000", "-0000-00-00"} {
		n := len(model) - len(form)
		if n <= 0 {
			continue
		}
		zeros := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}
			return r
		}, model[n:])
		if zeros == form {
			return model[:n]
		}
	}
	return model
}

// lineAfter is the first line of the table that is not less than key.
func lineAfter(key string) (string, bool) {
	low, high := 0, len(table) // the line lies at or behind low and begins before high
	for low < high {
		middle := low + (high-low)/2
		start := strings.LastIndexByte(table[:middle], '\n') + 1
		line, _, _ := strings.Cut(table[start:], "\n")
		if line < key {
			low = start + len(line) + 1
		} else {
			high = start
		}
	}
	if low >= len(table) {
		return "", false
	}
	line, _, _ := strings.Cut(table[low:], "\n")
	return line, true
}

func parse(line string) Model {
	f := strings.Split(line, "\t")
	m := Model{ContextTokens: number(f[2]), MaxOutput: number(f[3])}
	if in, out := rate(f[4]), rate(f[5]); in != nil && out != nil {
		m.Price = &Price{Input: *in, Output: *out, CacheRead: rate(f[6]), CacheWrite: rate(f[7]), Source: SourceCatalog}
	}
	return m
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // "-" is unknown, which is 0
	return n
}

func rate(s string) *float64 {
	r, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &r
}
