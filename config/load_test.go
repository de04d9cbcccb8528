package config_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/config"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestLoad_EveryKeyHasACase(t *testing.T) {
	t.Parallel()
	want := config.KnownKeys()
	got := slices.Sorted(maps.Keys(keyCases))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases in this file against the keys of the package (-keys +cases):\n%s", diff)
	}
}

func TestLoad_UserFileSetsEveryKey(t *testing.T) {
	t.Parallel()
	for name, k := range keyCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			want, _ := p.mustLoad()
			p.write(p.userFile(), k.toml)
			got, _ := p.mustLoad()
			k.apply(&want, p.home)
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("%s (-want +got):\n%s", k.toml, diff)
			}
		})
	}
}

func TestLoad_ProjectFileSetsAKeyOnlyWithWhatItNeeds(t *testing.T) {
	t.Parallel()
	for name, k := range keyCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			bare, _ := p.mustLoad()
			p.write(p.projectFile(), k.toml)

			want := bare
			free := k.needs == config.NeedNothing
			switch {
			case free && strings.HasPrefix(name, "scope.allow"):
				k.apply(&want, p.work)
				want.Scope.Within, want.Scope.Allow = want.Scope.Allow, bare.Scope.Allow
			case free:
				k.apply(&want, p.work)
			}
			got, notices := p.mustLoad()
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("untrusted %s (-want +got):\n%s", k.toml, diff)
			}
			if ignored := len(notices) > 0; ignored == free {
				t.Errorf("untrusted %s: notices %v", k.toml, notices)
			}
			for _, s := range got.Project.Settings {
				if s.Needs != k.needs {
					t.Errorf("%s needs %s, want %s", s.Key, s.Needs, k.needs)
				}
			}

			p.trust()
			want = bare
			if k.needs != config.NeedUser {
				k.apply(&want, p.work)
			}
			got, notices = p.mustLoad()
			if diff := cmp.Diff(want, got, same...); diff != "" {
				t.Errorf("trusted %s (-want +got):\n%s", k.toml, diff)
			}
			if ignored := strings.Contains(fmt.Sprint(notices), "ignored"); ignored != (k.needs == config.NeedUser) {
				t.Errorf("trusted %s: notices %v", k.toml, notices)
			}
		})
	}
}

func TestLoad_DefaultsAreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	got, notices := p.mustLoad()
	if len(notices) > 0 {
		t.Errorf("notices without any file: %v", notices)
	}
	want := config.Config{
		Model:  config.Model{ConnectTimeout: 10 * time.Second, FirstEventTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxRetries: 5},
		Worker: config.Worker{ToolOutput: config.ToolOutput{DefaultMaxBytes: 16384}},
		Scope:  config.Scope{Allow: []config.Rule{{Target: p.work, Permission: config.PermissionWrite, Recursive: true}}},
		Compaction: config.Compaction{
			RetainedTokens: 8000, AutoReadBudget: 8000, WorkerMaxInputTokens: 50000, PruneProtectedTurns: 3, PruneMinSavings: 4096,
		},
		Store:  config.Store{Name: "local", Path: filepath.Join(p.home, "state.db"), BusyTimeout: 5 * time.Second},
		Studio: config.Studio{Host: "127.0.0.1", Port: 8765, ArtifactRoots: []string{filepath.Join(p.home, "artifacts")}},
		Import: config.Import{SweepInterval: time.Minute, ClaudeCode: filepath.Join(p.env["HOME"], ".claude"), Codex: filepath.Join(p.env["HOME"], ".codex")},
		Paths:  config.Paths{Data: p.home, Config: p.home, Run: filepath.Join(p.home, "run")},
		File:   p.userFile(),
	}
	if diff := cmp.Diff(want, got, same...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoad_EnvironmentSetsItsKeys(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		value string
		got   func(c config.Config) any
		want  any
	}{
		"PODIUM_PROVIDER":               {"openai_chat", func(c config.Config) any { return c.Model.Provider }, config.ProviderOpenAIChat},
		"PODIUM_MODEL":                  {"m", func(c config.Config) any { return c.Model.ID }, "m"},
		"PODIUM_BASE_URL":               {"https://h.test/v1", func(c config.Config) any { return c.Model.BaseURL }, "https://h.test/v1"},
		"PODIUM_MAX_TURNS":              {"12", func(c config.Config) any { return c.Worker.MaxTurns }, 12},
		"PODIUM_ALLOW_BASH":             {"on", func(c config.Config) any { return c.Worker.AllowBash }, true},
		"PODIUM_STATE_DB_URL":           {"sqlite:////x/y.db", func(c config.Config) any { return c.Store.Path }, "/x/y.db"},
		"PODIUM_SQLITE_BUSY_TIMEOUT_MS": {"70", func(c config.Config) any { return c.Store.BusyTimeout }, 70 * time.Millisecond},
		"PODIUM_STUDIO_HOST":            {"0.0.0.0", func(c config.Config) any { return c.Studio.Host }, "0.0.0.0"},
		"PODIUM_STUDIO_PORT":            {"1", func(c config.Config) any { return c.Studio.Port }, 1},
		"PODIUM_STUDIO_AUTH_TOKEN":      {"tok", func(c config.Config) any { return c.Studio.AuthToken.Reveal() }, "tok"},
		"CORS_ORIGINS":                  {" http://a.test , http://b.test:2 ,", func(c config.Config) any { return strings.Join(c.Studio.CORSOrigins, "|") }, "http://a.test|http://b.test:2"},
		"CLAUDE_CONFIG_DIR":             {"/cc", func(c config.Config) any { return c.Import.ClaudeCode }, "/cc"},
		"CODEX_HOME":                    {"/cx", func(c config.Config) any { return c.Import.Codex }, "/cx"},
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(config.Variables())), slices.Sorted(maps.Keys(cases))); diff != "" {
		t.Fatalf("cases against variables (-variables +cases):\n%s", diff)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.env[name] = c.value
			got, _ := p.mustLoad()
			if diff := cmp.Diff(c.want, c.got(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			bare, _ := newPlace(t).mustLoad()
			p.env[name] = ""
			got, _ = p.mustLoad()
			if name != "CORS_ORIGINS" && name != "PODIUM_STATE_DB_URL" && !strings.HasPrefix(name, "C") {
				if diff := cmp.Diff(c.got(bare), c.got(got)); diff != "" {
					t.Errorf("an empty variable set something (-bare +got):\n%s", diff)
				}
			}
		})
	}
}

func TestLoad_FlagsSetTheirKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	got, _ := p.mustLoad(func(o *config.Options) {
		o.Flags = config.Flags{
			Provider: "ollama", Model: "m", BaseURL: "http://h.test", MaxTurns: 3, AllowBash: ptr(true),
			Store: "/s.db", Listen: "[::1]:99",
		}
	})
	want, _ := p.mustLoad()
	want.Model.Provider, want.Model.ID, want.Model.BaseURL = config.ProviderOllama, "m", "http://h.test"
	want.Worker.MaxTurns, want.Worker.AllowBash = 3, true
	want.Store.Path, want.Store.Name = "/s.db", ""
	want.Studio.Host, want.Studio.Port = "::1", 99
	if diff := cmp.Diff(want, got, same...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoad_AHigherLayerWins(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	turns := func(change ...func(*config.Options)) int {
		c, _ := p.mustLoad(change...)
		return c.Worker.MaxTurns
	}
	p.write(p.userFile(), "[worker]\nmax_turns = 1")
	if got := turns(); got != 1 {
		t.Errorf("user file: %d", got)
	}
	p.write(p.projectFile(), "[worker]\nmax_turns = 2")
	if got := turns(); got != 1 {
		t.Errorf("untrusted project file: %d", got)
	}
	p.trust()
	if got := turns(); got != 2 {
		t.Errorf("trusted project file: %d", got)
	}
	p.env["PODIUM_MAX_TURNS"] = "3"
	if got := turns(); got != 3 {
		t.Errorf("environment: %d", got)
	}
	if got := turns(func(o *config.Options) { o.Flags.MaxTurns = 4 }); got != 4 {
		t.Errorf("flag: %d", got)
	}
}

func TestLoad_AHigherLayerReplacesListsAndMergesTables(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `
[[scope.allow]]
target = "/a"
permission = "read"
[[scope.deny]]
target = "/a/secret"
permission = "read"
[worker.tool_output.per_tool]
Read = 1000
Grep = 2000
`)
	p.write(p.projectFile(), `
[[scope.allow]]
target = "/b"
permission = "write"
[worker.tool_output.per_tool]
Read = 3000
`)
	p.trust()
	got, _ := p.mustLoad()
	wantScope := config.Scope{
		Allow: []config.Rule{{Target: "/b", Permission: config.PermissionWrite, Recursive: true}},
		Deny:  []config.Rule{{Target: "/a/secret", Permission: config.PermissionRead, Recursive: true}},
	}
	if diff := cmp.Diff(wantScope, got.Scope); diff != "" {
		t.Errorf("scope (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"Read": 3000, "Grep": 2000}, got.Worker.ToolOutput.PerTool); diff != "" {
		t.Errorf("per tool (-want +got):\n%s", diff)
	}
	if got.Worker.ToolOutput.DefaultMaxBytes != 16384 {
		t.Errorf("the default is %d", got.Worker.ToolOutput.DefaultMaxBytes)
	}
}

// A key that was set up for one vendor must not be sent to another.
func TestLoad_AnotherProviderForgetsTheOldOnesSettings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `
[model]
scheme = "anthropic"
model_id = "big"
base_url = "http://proxy.test"
context = 5
max_retries = 1
[model.auth]
file = "anthropic.key"
[model.capability]
tool_calling = "none"
`)
	got, _ := p.mustLoad(func(o *config.Options) { o.Flags.Provider, o.Flags.Model = "openai", "other" })
	want, _ := newPlace(t).mustLoad()
	want.Model.Provider, want.Model.ID, want.Model.MaxRetries = config.ProviderOpenAI, "other", 1
	if diff := cmp.Diff(want.Model, got.Model); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, _ = p.mustLoad(func(o *config.Options) { o.Flags.Provider, o.Flags.Model = "anthropic", "small" })
	if got.Model.BaseURL != "http://proxy.test" || got.Model.Auth.File != filepath.Join(p.home, "anthropic.key") || got.Model.ID != "small" {
		t.Errorf("the same provider again lost settings: %+v", got.Model)
	}
}

func TestLoad_SummaryModelStartsFromTheMainOne(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `
[model]
scheme = "anthropic"
model_id = "big"
auth = {file = "/k"}
[compaction.model]
model_id = "small"
`)
	got, _ := p.mustLoad()
	if m := got.Compaction.Model; m == nil || m.ID != "small" || m.Provider != config.ProviderAnthropic || m.Auth.File != "/k" {
		t.Errorf("same vendor: %+v", m)
	}
	p.write(p.userFile(), `
[model]
scheme = "anthropic"
model_id = "big"
auth = {file = "/k"}
[compaction.model]
scheme = "ollama"
model_id = "small"
`)
	got, _ = p.mustLoad()
	if m := got.Compaction.Model; m == nil || m.ID != "small" || m.Provider != config.ProviderOllama || m.Auth.File != "" {
		t.Errorf("another vendor: %+v", m)
	}
}

func TestLoad_ExplicitFileTakesThePlaceOfTheUsersFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), "[worker]\nmax_turns = 1\nmax_tokens = 1")
	other := p.write(filepath.Join(p.work, "other", "c.toml"), "[worker]\nmax_turns = 2\n[store]\npath = \"s.db\"")
	got, _ := p.mustLoad(func(o *config.Options) { o.ExplicitFile = other })
	if got.Worker.MaxTurns != 2 || got.Worker.MaxTokens != 0 {
		t.Errorf("worker %+v", got.Worker)
	}
	if want := filepath.Join(p.work, "other", "s.db"); got.Store.Path != want {
		t.Errorf("store %s, want %s", got.Store.Path, want)
	}
}

func TestLoad_ProjectFileNamedByTheUserIsTheUsers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.projectFile(), "[worker]\nallow_bash = true")
	got, notices := p.mustLoad(func(o *config.Options) { o.ExplicitFile = p.projectFile() })
	if !got.Worker.AllowBash || got.Project != nil || len(notices) > 0 {
		t.Errorf("bash %v, project %+v, notices %v", got.Worker.AllowBash, got.Project, notices)
	}
}

func TestLoad_HomeIsWrittenAsATilde(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), "[store]\npath = \"~/s.db\"")
	got, _ := p.mustLoad()
	if want := filepath.Join(p.env["HOME"], "s.db"); got.Store.Path != want {
		t.Errorf("store %s, want %s", got.Store.Path, want)
	}
}

func TestLoad_StoreHasTheNameOfItsFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), "[store]\npath = \"/moved.db\"\n[stores.team]\npath = \"/team.db\"")
	for _, c := range []struct{ flag, env, want string }{
		{"", "", "local"},
		{"/team.db", "", "team"},
		{filepath.Join(p.home, "state.db"), "", "local"},
		{"/any.db", "", ""},
		{"", "/any.db", ""},
		{"", "/team.db", "team"},
	} {
		p.env["PODIUM_STATE_DB_URL"] = c.env
		got, _ := p.mustLoad(func(o *config.Options) { o.Flags.Store = c.flag })
		if got.Store.Name != c.want {
			t.Errorf("flag %q, variable %q: name %q, want %q", c.flag, c.env, got.Store.Name, c.want)
		}
	}
}

func TestLoad_ServerStoreIsNamedWithoutItsSecret(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.env["PODIUM_STATE_DB_URL"] = "postgresql://me:hunter2hunter2@db.test:5432/x?password=hunter2"
	got, _ := p.mustLoad()
	if got.Store.Path != "" || got.Store.Server != "postgresql://…@db.test:5432/x" {
		t.Errorf("store %+v", got.Store)
	}
	if strings.Contains(got.String(), "hunter2") {
		t.Errorf("the secret is printed: %s", got)
	}
}

func TestLoad_ThresholdsThatCannotBothWorkAreNoticed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), "[compaction]\ncompact_threshold = 10\ncompact_request_threshold = 10")
	if _, notices := p.mustLoad(); len(notices) != 1 || notices[0].Key != "compaction.compact_threshold" {
		t.Errorf("notices %v", notices)
	}
}

func TestThresholds_AreSharesOfTheContextUnlessSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set            config.Compaction
		context        int64
		after, request int64
	}{
		{config.Compaction{}, 200_000, 120_000, 160_000},
		{config.Compaction{}, 0, 0, 0},
		{config.Compaction{Threshold: ptr[int64](0)}, 200_000, 0, 160_000},
		{config.Compaction{Threshold: ptr[int64](5), RequestThreshold: ptr[int64](9)}, 0, 5, 9},
	} {
		if after, request := c.set.Thresholds(c.context); after != c.after || request != c.request {
			t.Errorf("%+v with %d: %d and %d, want %d and %d", c.set, c.context, after, request, c.after, c.request)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	p := newPlace(b)
	p.write(p.userFile(), "[model]\nscheme = \"anthropic\"\nmodel_id = \"m\"\n[[scope.allow]]\ntarget = \"~/src\"\npermission = \"write\"\n")
	p.write(p.projectFile(), "[worker]\ninstruction = \"Be brief.\"\nallow_bash = true\n")
	p.trust()
	for b.Loop() {
		p.mustLoad()
	}
}
