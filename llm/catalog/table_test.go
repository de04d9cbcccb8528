package catalog_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables anew from catwalk's catalogue")

func TestTables_AreThoseOfTheCatalogue(t *testing.T) {
	for name, want := range map[string]string{"table.tsv": modelTable(t), "endpoints.tsv": endpointTable()} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); d != "" {
			t.Errorf("%s is not what the catalogue says; renew it with: go test ./llm/catalog -update\n%s", name, d)
		}
	}
}

func modelTable(t *testing.T) string {
	var lines []string
	for _, p := range embedded.GetAll() {
		for _, m := range p.Models {
			if strings.ContainsAny(string(p.ID)+m.ID, "\t\n") {
				t.Fatalf("the name of %s %q cannot stand in a table", p.ID, m.ID)
			}
			lines = append(lines, modelLine(string(p.ID), m))
		}
	}
	slices.Sort(lines)
	// A model that is listed twice is taken as it came first in the order of lines.
	lines = slices.CompactFunc(lines, func(a, b string) bool { return nameOf(a) == nameOf(b) })
	return strings.Join(lines, "\n") + "\n"
}

func nameOf(line string) string { return strings.Join(strings.Split(line, "\t")[:2], "\t") }

// modelLine writes a model's line. The catalogue's two rates for cached tokens
// do not mean the same with every vendor, but what they can mean shows: reading
// costs less than fresh input, writing at least as much.
func modelLine(provider string, m catwalk.Model) string {
	in, out := m.CostPer1MIn, m.CostPer1MOut
	var read, write float64
	if in > 0 && out > 0 {
		for _, r := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
			if r > 0 && r < in {
				read = r
			}
		}
		if m.CostPer1MInCached >= in {
			write = m.CostPer1MInCached
		}
	} else {
		in, out = 0, 0
	}
	return strings.Join([]string{
		provider, m.ID, count(m.ContextWindow), count(m.DefaultMaxTokens),
		money(in), money(out), money(read), money(write),
	}, "\t")
}

func count(n int64) string {
	if n <= 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// money rounds away what binary fractions added.
func money(r float64) string {
	if r <= 0 {
		return "-"
	}
	return strconv.FormatFloat(math.Round(r*1e6)/1e6, 'f', -1, 64)
}

func endpointTable() string {
	var lines []string
	for _, p := range embedded.GetAll() {
		_, at, ok := strings.Cut(p.APIEndpoint, "://")
		if ok {
			lines = append(lines, fmt.Sprintf("%s\t%s", strings.TrimRight(strings.TrimSuffix(at, "/v1"), "/"), p.ID))
		}
	}
	// The vendors whose address the catalogue takes from the environment.
	lines = append(lines, "api.anthropic.com\tanthropic", "api.openai.com\topenai", "generativelanguage.googleapis.com\tgemini")
	slices.SortFunc(lines, cmp.Compare[string])
	return strings.Join(lines, "\n") + "\n"
}
