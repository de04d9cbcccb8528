package config_test

import (
	"maps"
	"path/filepath"
	"time"

	"podium.local/config"
)

// keyCase is one key of config.toml: a text that sets it, the change it makes,
// and whether a project file may make it untrusted (free), trusted, or never.
type keyCase struct {
	toml  string
	apply func(c *config.Config, dir string)
	needs config.Need
}

// rule gives the change of a scope rule that stands in a file of dir.
func rule(perm config.Permission, recursive bool) func(c *config.Config, dir string) {
	return func(c *config.Config, dir string) {
		c.Scope.Allow = []config.Rule{{Target: filepath.Join(dir, "sub"), Permission: perm, Recursive: recursive}}
	}
}

func setModel(f func(m *config.Model)) func(c *config.Config, _ string) {
	return func(c *config.Config, _ string) { f(&c.Model) }
}

// setSummary is a change of the summary worker's model, which starts as a copy
// of the main one.
func setSummary(f func(m *config.Model)) func(c *config.Config, _ string) {
	return func(c *config.Config, _ string) {
		m := c.Model
		f(&m)
		c.Compaction.Model = &m
	}
}

func modelCases(table string, change func(func(m *config.Model)) func(*config.Config, string)) map[string]keyCase {
	cases := map[string]keyCase{}
	add := func(name, value string, f func(m *config.Model)) {
		cases[table+"."+name] = keyCase{toml: "[" + table + "]\n" + name + " = " + value, apply: change(f), needs: config.NeedTrust}
	}
	add("scheme", `"gemini"`, func(m *config.Model) { m.Provider = config.ProviderGemini })
	add("model_id", `"m-1"`, func(m *config.Model) { m.ID = "m-1" })
	add("base_url", `"http://127.0.0.1:9/v1"`, func(m *config.Model) { m.BaseURL = "http://127.0.0.1:9/v1" })
	add("auth.kind", `"none"`, func(m *config.Model) { m.Auth.Kind = config.AuthNone })
	add("auth.env", `"MY_KEY"`, func(m *config.Model) { m.Auth = config.Auth{Kind: config.AuthAPIKey, Env: "MY_KEY"} })
	add("auth.file", `"/k"`, func(m *config.Model) { m.Auth = config.Auth{Kind: config.AuthAPIKey, File: "/k"} })
	add("capability.tool_calling", `"none"`, func(m *config.Model) { m.Capability.ToolCalling = "none" })
	add("capability.structured_output", `"none"`, func(*config.Model) {})
	add("capability.reasoning", `true`, func(*config.Model) {})
	add("capability.vision", `true`, func(*config.Model) {})
	add("capability.prompt_caching", `{kind = "auto"}`, func(*config.Model) {})
	add("context", `1000`, func(m *config.Model) { m.Context = 1000 })
	add("connect_timeout", `"3s"`, func(m *config.Model) { m.ConnectTimeout = 3 * time.Second })
	add("first_event_timeout", `"4s"`, func(m *config.Model) { m.FirstEventTimeout = 4 * time.Second })
	add("idle_timeout", `"1m30s"`, func(m *config.Model) { m.IdleTimeout = 90 * time.Second })
	add("max_retries", `0`, func(m *config.Model) { m.MaxRetries = 0 })
	return cases
}

var keyCases = func() map[string]keyCase {
	cases := modelCases("model", setModel)
	maps.Copy(cases, modelCases("compaction.model", setSummary))
	maps.Copy(cases, map[string]keyCase{
		"worker.instruction":                   {"[worker]\ninstruction = \"Be kind.\"", func(c *config.Config, _ string) { c.Worker.Instruction = "Be kind." }, config.NeedNothing},
		"worker.max_tokens":                    {"[worker]\nmax_tokens = 7", func(c *config.Config, _ string) { c.Worker.MaxTokens = 7 }, config.NeedTrust},
		"worker.max_turns":                     {"[worker]\nmax_turns = 9", func(c *config.Config, _ string) { c.Worker.MaxTurns = 9 }, config.NeedTrust},
		"worker.temperature":                   {"[worker]\ntemperature = 0.5", func(c *config.Config, _ string) { c.Worker.Temperature = ptr(0.5) }, config.NeedTrust},
		"worker.effort":                        {"[worker]\neffort = \"high\"", func(c *config.Config, _ string) { c.Worker.Effort = "high" }, config.NeedTrust},
		"worker.allow_bash":                    {"[worker]\nallow_bash = true", func(c *config.Config, _ string) { c.Worker.AllowBash = true }, config.NeedTrust},
		"worker.tool_output.default_max_bytes": {"[worker.tool_output]\ndefault_max_bytes = 999", func(c *config.Config, _ string) { c.Worker.ToolOutput.DefaultMaxBytes = 999 }, config.NeedNothing},
		"worker.tool_output.per_tool.*":        {"[worker.tool_output.per_tool]\nRead = 1000", func(c *config.Config, _ string) { c.Worker.ToolOutput.PerTool = map[string]int{"Read": 1000} }, config.NeedNothing},

		"scope.allow[0].target":     {"[[scope.allow]]\ntarget = \"sub\"\npermission = \"write\"", rule(config.PermissionWrite, true), config.NeedNothing},
		"scope.allow[0].permission": {"[[scope.allow]]\ntarget = \"sub\"\npermission = \"read\"", rule(config.PermissionRead, true), config.NeedNothing},
		"scope.allow[0].recursive":  {"[scope]\nallow = [{target = \"sub\", permission = \"read\", recursive = false}]", rule(config.PermissionRead, false), config.NeedNothing},

		"compaction.compact_threshold":               {"[compaction]\ncompact_threshold = 0", func(c *config.Config, _ string) { c.Compaction.Threshold = ptr[int64](0) }, config.NeedNothing},
		"compaction.compact_request_threshold":       {"[compaction]\ncompact_request_threshold = 5", func(c *config.Config, _ string) { c.Compaction.RequestThreshold = ptr[int64](5) }, config.NeedNothing},
		"compaction.compact_retained_tokens":         {"[compaction]\ncompact_retained_tokens = 6", func(c *config.Config, _ string) { c.Compaction.RetainedTokens = 6 }, config.NeedNothing},
		"compaction.compact_auto_read_budget":        {"[compaction]\ncompact_auto_read_budget = 0", func(c *config.Config, _ string) { c.Compaction.AutoReadBudget = 0 }, config.NeedNothing},
		"compaction.compact_worker_max_input_tokens": {"[compaction]\ncompact_worker_max_input_tokens = 8", func(c *config.Config, _ string) { c.Compaction.WorkerMaxInputTokens = 8 }, config.NeedNothing},
		"compaction.prune_protected_turns":           {"[compaction]\nprune_protected_turns = 0", func(c *config.Config, _ string) { c.Compaction.PruneProtectedTurns = 0 }, config.NeedNothing},
		"compaction.prune_min_savings":               {"[compaction]\nprune_min_savings = 11", func(c *config.Config, _ string) { c.Compaction.PruneMinSavings = 11 }, config.NeedNothing},

		"store.path":         {"[store]\npath = \"sub/s.db\"", func(c *config.Config, dir string) { c.Store.Path = filepath.Join(dir, "sub/s.db") }, config.NeedUser},
		"store.busy_timeout": {"[store]\nbusy_timeout = \"250ms\"", func(c *config.Config, _ string) { c.Store.BusyTimeout = 250 * time.Millisecond }, config.NeedUser},
		"stores.*.path":      {"[stores.old]\npath = \"/x/old.db\"", func(c *config.Config, _ string) { c.Stores = map[string]string{"old": "/x/old.db"} }, config.NeedUser},

		"studio.host":           {"[studio]\nhost = \"::1\"", func(c *config.Config, _ string) { c.Studio.Host = "::1" }, config.NeedUser},
		"studio.port":           {"[studio]\nport = 0", func(c *config.Config, _ string) { c.Studio.Port = 0 }, config.NeedUser},
		"studio.auth_token":     {"[studio]\nauth_token = \"s3cr3t-token\"", func(c *config.Config, _ string) { c.Studio.AuthToken = config.NewSecret("s3cr3t-token") }, config.NeedUser},
		"studio.cors_origins":   {"[studio]\ncors_origins = [\"http://a.test:1\"]", func(c *config.Config, _ string) { c.Studio.CORSOrigins = []string{"http://a.test:1"} }, config.NeedUser},
		"studio.artifact_roots": {"[studio]\nartifact_roots = [\"sub\", \"/b\"]", func(c *config.Config, dir string) { c.Studio.ArtifactRoots = []string{filepath.Join(dir, "sub"), "/b"} }, config.NeedUser},

		"import.watch":          {"[import]\nwatch = true", func(c *config.Config, _ string) { c.Import.Watch = true }, config.NeedUser},
		"import.sweep_interval": {"[import]\nsweep_interval = \"5m\"", func(c *config.Config, _ string) { c.Import.SweepInterval = 5 * time.Minute }, config.NeedUser},
		"import.claude_code":    {"[import]\nclaude_code = \"sub\"", func(c *config.Config, dir string) { c.Import.ClaudeCode = filepath.Join(dir, "sub") }, config.NeedUser},
		"import.codex":          {"[import]\ncodex = \"/c\"", func(c *config.Config, _ string) { c.Import.Codex = "/c" }, config.NeedUser},
	})
	for _, r := range []string{"target", "permission", "recursive"} {
		cases["scope.deny[0]."+r] = keyCase{"[[scope.deny]]\ntarget = \"sub\"\npermission = \"write\"\nrecursive = false", func(c *config.Config, dir string) {
			c.Scope.Deny = []config.Rule{{Target: filepath.Join(dir, "sub"), Permission: config.PermissionWrite}}
		}, config.NeedNothing}
	}
	price := func(name string, f func(e *config.CatalogEntry)) {
		cases["catalog.*."+name] = keyCase{"[catalog.\"m.1\"]\n" + name + " = 2", func(c *config.Config, _ string) {
			var e config.CatalogEntry
			f(&e)
			c.Catalog = map[string]config.CatalogEntry{"m.1": e}
		}, config.NeedTrust}
	}
	price("input_usd", func(e *config.CatalogEntry) { e.InputUSD = ptr(2.0) })
	price("output_usd", func(e *config.CatalogEntry) { e.OutputUSD = ptr(2.0) })
	price("cache_read_usd", func(e *config.CatalogEntry) { e.CacheReadUSD = ptr(2.0) })
	price("cache_write_usd", func(e *config.CatalogEntry) { e.CacheWriteUSD = ptr(2.0) })
	price("context", func(e *config.CatalogEntry) { e.Context = 2 })
	return cases
}()
