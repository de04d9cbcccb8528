package catalog_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/llm"
	"podium.local/llm/catalog"
)

func ptr[T any](v T) *T { return &v }

func TestLookup_KnowsTheModelsUnderTheirNames(t *testing.T) {
	opus := catalog.Model{
		ContextTokens: 200000, MaxOutput: 64000,
		Price: &catalog.Price{Input: 5, Output: 25, CacheRead: ptr(0.5), CacheWrite: ptr(6.25), Source: catalog.SourceCatalog},
	}
	gpt := catalog.Model{
		ContextTokens: 400000, MaxOutput: 128000,
		Price: &catalog.Price{Input: 1.25, Output: 10, CacheRead: ptr(0.125), Source: catalog.SourceCatalog},
	}
	for _, c := range []struct {
		provider, model string
		want            *catalog.Model
	}{
		{"anthropic", "claude-opus-4-5-20251101", &opus},
		{"anthropic", "claude-opus-4-5", &opus},
		{"anthropic", "claude-opus-4-5-latest", &opus},
		{"anthropic", "claude-opus-4-5-20991231", nil}, // another snapshot may cost something else
		{"anthropic", "claude-opus", nil},
		{"openai", "gpt-5", &gpt},
		{"openai-chat", "gpt-5", &gpt},
		{"openai", "gpt-5-2025-08-07", &gpt},
		{"openai", "gpt-", nil},
		{"openai", "", nil},
		{"openai", "gpt-5\t", nil},
		{"", "gpt-5", nil},
		{"nobody", "gpt-5", nil},
		{"ollama", "gpt-oss:20b", nil},
		{"zzz", "zzz", nil},
	} {
		got, ok := catalog.Catalog{}.Lookup(c.provider, c.model)
		if c.want == nil {
			if ok {
				t.Errorf("%s %q: found %+v", c.provider, c.model, got)
			}
			continue
		}
		if d := cmp.Diff(*c.want, got); d != "" || !ok {
			t.Errorf("%s %q: found %v\n%s", c.provider, c.model, ok, d)
		}
	}
	if got, ok := (catalog.Catalog{}).Lookup("gemini", "models/gemini-2.5-pro"); !ok || got.Price == nil {
		t.Errorf("gemini: got %+v, %v", got, ok)
	}
}

func TestLookup_FindsEveryLineOfTheTable(t *testing.T) {
	raw, err := os.ReadFile("table.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(line, "\t")
		provider := f[0]
		if got, ok := (catalog.Catalog{}).Lookup(provider, f[1]); !ok || (got.Price == nil) != (f[4] == "-") {
			t.Errorf("%s %s: got %+v, %v for the line %q", provider, f[1], got, ok, line)
		}
	}
}

func TestLookup_ZeroInTheCatalogueIsUnknown(t *testing.T) {
	got, ok := catalog.Catalog{}.Lookup("copilot", "claude-fable-5")
	if !ok || got.Price != nil || got.ContextTokens == 0 {
		t.Errorf("got %+v, %v; want a model without a price", got, ok)
	}
}

func TestLookup_TheUsersEntryWins(t *testing.T) {
	c := catalog.New(map[string]catalog.Override{
		"gpt-5":      {CacheRead: ptr(0.0), ContextTokens: 1000},
		"gpt-4o":     {ContextTokens: 7},
		"my-own":     {Input: ptr(1.0), Output: ptr(2.0)},
		"half":       {Input: ptr(1.0)},
		"free":       {Input: ptr(0.0), Output: ptr(0.0)},
		"known-size": {ContextTokens: 32768},
	})
	for _, tc := range []struct {
		provider, model string
		want            catalog.Model
	}{
		{"openai", "gpt-5", catalog.Model{ContextTokens: 1000, MaxOutput: 128000, Price: &catalog.Price{Input: 1.25, Output: 10, CacheRead: ptr(0.0), Source: catalog.SourceConfig}}},
		{"openai", "gpt-4o", catalog.Model{ContextTokens: 7, MaxOutput: 8192, Price: &catalog.Price{Input: 2.5, Output: 10, CacheRead: ptr(1.25), Source: catalog.SourceCatalog}}},
		{"ollama", "my-own", catalog.Model{Price: &catalog.Price{Input: 1, Output: 2, Source: catalog.SourceConfig}}},
		{"ollama", "half", catalog.Model{}},
		{"ollama", "free", catalog.Model{Price: &catalog.Price{Source: catalog.SourceConfig}}},
		{"openai-chat", "known-size", catalog.Model{ContextTokens: 32768}},
	} {
		got, ok := c.Lookup(tc.provider, tc.model)
		if d := cmp.Diff(tc.want, got); d != "" || !ok {
			t.Errorf("%s: found %v\n%s", tc.model, ok, d)
		}
	}
	if again, _ := (catalog.Catalog{}).Lookup("openai", "gpt-5"); again.ContextTokens != 400000 || *again.Price.CacheRead != 0.125 {
		t.Errorf("an override changed the catalogue: %+v", again)
	}
}

func TestCost_UnknownIsNeverZero(t *testing.T) {
	full := llm.Usage{Input: ptr(int64(1000)), Output: ptr(int64(10))}
	price := &catalog.Price{Input: 3, Output: 15}
	for name, got := range map[string]*float64{
		"no price":           (*catalog.Price)(nil).Cost(full),
		"no usage":           price.Cost(llm.Usage{}),
		"output unreported":  price.Cost(llm.Usage{Input: full.Input}),
		"input unreported":   price.Cost(llm.Usage{Output: full.Output}),
		"a price of nothing": (&catalog.Price{Input: math.NaN()}).Cost(full),
	} {
		if got != nil {
			t.Errorf("%s: got the cost %v", name, *got)
		}
	}
	if got := (&catalog.Price{}).Cost(full); got == nil || *got != 0 {
		t.Errorf("a free model costs %v, want 0", got)
	}
}

func TestCost_CachedTokensHaveTheirOwnRates(t *testing.T) {
	u := llm.Usage{Input: ptr(int64(1000)), Output: ptr(int64(100)), CacheRead: ptr(int64(600)), CacheWrite: ptr(int64(300)), Reasoning: ptr(int64(50))}
	for _, c := range []struct {
		name  string
		price catalog.Price
		usage llm.Usage
		want  float64 // in millionths of a dollar
	}{
		{"all rates", catalog.Price{Input: 10, Output: 50, CacheRead: ptr(1.0), CacheWrite: ptr(12.5)}, u, 100*10 + 600*1 + 300*12.5 + 100*50},
		{"no rate for writing", catalog.Price{Input: 10, Output: 50, CacheRead: ptr(1.0)}, u, 400*10 + 600*1 + 100*50},
		{"no rate for either", catalog.Price{Input: 10, Output: 50}, u, 1000*10 + 100*50},
		{"cache not reported", catalog.Price{Input: 10, Output: 50, CacheRead: ptr(1.0)}, llm.Usage{Input: u.Input, Output: u.Output}, 1000*10 + 100*50},
		{"parts above the whole", catalog.Price{Input: 10, Output: 50, CacheRead: ptr(1.0), CacheWrite: ptr(2.0)}, llm.Usage{Input: ptr(int64(500)), Output: ptr(int64(0)), CacheRead: ptr(int64(400)), CacheWrite: ptr(int64(400))}, 400*1 + 100*2},
	} {
		got := c.price.Cost(c.usage)
		if got == nil || math.Abs(*got*1e6-c.want) > 1e-6 {
			t.Errorf("%s: got %v, want %v millionths", c.name, got, c.want)
		}
	}
}

func TestCost_CachingNeverCostsMoreThanTheDearestRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0, 1000)
		tokens := rapid.Int64Range(0, 1<<40)
		p := catalog.Price{Input: rate.Draw(t, "input"), Output: rate.Draw(t, "output"), CacheRead: ptr(rate.Draw(t, "read")), CacheWrite: ptr(rate.Draw(t, "write"))}
		u := llm.Usage{Input: ptr(tokens.Draw(t, "in")), Output: ptr(tokens.Draw(t, "out")), CacheRead: ptr(tokens.Draw(t, "r")), CacheWrite: ptr(tokens.Draw(t, "w"))}
		got := p.Cost(u)
		dearest := max(p.Input, *p.CacheRead, *p.CacheWrite)
		most := (float64(*u.Input)*dearest + float64(*u.Output)*p.Output) / 1e6
		if got == nil || *got < 0 || *got > most*(1+1e-9) {
			t.Fatalf("got %v, at most %v", got, most)
		}
	})
}

func TestProviderAt_KnowsTheVendorsByTheirAddress(t *testing.T) {
	for _, c := range []struct{ provider, baseURL, want string }{
		{"openai-chat", "", "openai-chat"},
		{"openai-chat", "http://localhost:8080/v1", "openai-chat"},
		{"openai-chat", "https://api.deepseek.com", "deepseek"},
		{"openai-chat", "https://api.deepseek.com/v1/", "deepseek"},
		{"openai-chat", "https://API.DeepSeek.com/v1", "deepseek"},
		{"openai-chat", "https://api.deepseek.com.evil.example/v1", "openai-chat"},
		{"openai-chat", "https://openrouter.ai/api/v1", "openrouter"},
		{"openai-chat", "https://opencode.ai/zen/v1", "opencode-zen"},
		{"openai-chat", "https://opencode.ai/zen/go/v1", "opencode-go"},
		{"anthropic", "https://api.minimax.io/anthropic", "minimax"},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini"},
		{"openai", "://", "openai"},
	} {
		if got := catalog.ProviderAt(c.provider, c.baseURL); got != c.want {
			t.Errorf("%s at %q: got %s, want %s", c.provider, c.baseURL, got, c.want)
		}
	}
}

func FuzzLookup(f *testing.F) {
	f.Add("anthropic", "claude-opus-4-5")
	f.Add("openai", "gpt-5-2025-08-07")
	f.Add("\xff", "\x00-00000000")
	f.Fuzz(func(t *testing.T, provider, model string) {
		m, ok := catalog.Catalog{}.Lookup(provider, model)
		if !ok && m != (catalog.Model{}) {
			t.Errorf("not found, but %+v", m)
		}
		if m.Price != nil && (m.Price.Input <= 0 || m.Price.Output <= 0) {
			t.Errorf("a price of the catalogue is not above 0: %+v", m.Price)
		}
		catalog.ProviderAt(provider, model)
	})
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		catalog.Catalog{}.Lookup("openai", "gpt-5")
	}
}
