package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podium.local/config"
)

// Each bad file gets one error that names file, line, key and the way out.
func TestLoad_BadFileIsNamedWithLineAndWayOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ toml, want string }{
		"unknown key":                       {"[worker]\n\nmax_turn = 3", ":3: unknown key worker.max_turn; did you mean max_turns?"},
		"unknown table":                     {"[modle]\nscheme = 1", ":1: unknown key modle; did you mean model?"},
		"unknown key, no guess":             {"[worker]\nfrobnicate = 3", ":2: unknown key worker.frobnicate"},
		"unknown key, a habit":              {"[model]\nprovider = \"openai\"", ":2: unknown key model.provider; did you mean scheme?"},
		"unknown key, wrong case":           {"[Model]\nscheme = \"openai\"", ":1: unknown key Model; did you mean model?"},
		"unknown in a list":                 {"[scope]\nallow = [\n  {targett = \"x\"},\n]", ":3: unknown key scope.allow[0].targett; did you mean target?"},
		"unknown below a name":              {"[catalog.\"a.b\"]\ninput = 1", ":2: unknown key catalog.\"a.b\".input; did you mean input_usd?"},
		"list written as table":             {"[scope.allow]\ntarget = \"x\"", ":2: unknown key scope.allow.target; scope.allow is a list: write [[scope.allow]]"},
		"table written as list":             {"[[stores]]\npath = \"x\"", ":1: unknown key stores[0]; stores is a table: write [stores.NAME]"},
		"a key in the file":                 {"[model]\napi_key = \"sk-abcdef\"", "keys are not written into config.toml"},
		"a pod name":                        {"[pod]\nname = \"x\"", "a pod's name is given on the command line"},
		"two mistakes":                      {"[worker]\nbad1 = 1\nbad2 = 2", "unknown key worker.bad2"},
		"syntax":                            {"[worker]\nmax_turns = ", ":2: "},
		"twice":                             {"[worker]\nmax_turns = 1\nmax_turns = 2", ":3: "},
		"wrong type, text":                  {"[worker]\nmax_turns = \"3\"", ":2: worker.max_turns: it takes a whole number, not text"},
		"wrong type, number":                {"[model]\nscheme = 3", ":2: model.scheme: it takes text in quotes, not a whole number"},
		"wrong type, switch":                {"[worker]\nallow_bash = \"yes\"", "it takes true or false, not text"},
		"wrong type, table":                 {"model = 3", ":1: model: it takes a table, not a whole number"},
		"wrong type, list":                  {"[studio]\ncors_origins = \"x\"", "it takes a list, not text"},
		"wrong type, in a list":             {"[studio]\ncors_origins = [\"a\", 3]", ":2: studio.cors_origins[1]: it takes text in quotes, not a whole number"},
		"wrong type, header":                {"[worker.max_turns]", ":1: worker.max_turns: it takes a whole number, not a table"},
		"wrong type, in inline":             {"model = {auth = {env = true}}", ":1: model.auth.env: it takes text in quotes, not true or false"},
		"number too large":                  {"[worker]\nmax_turns = 99999999999999999999", ":2: worker.max_turns: "},
		"duration without unit":             {"[store]\nbusy_timeout = \"5\"", ":2: store.busy_timeout: \"5\" is not a time span like 500ms, 10s or 2m"},
		"duration as number":                {"[store]\nbusy_timeout = 5", ":2: store.busy_timeout: it takes a time span in quotes like \"10s\", not a whole number"},
		"duration below zero":               {"[import]\nsweep_interval = \"-1s\"", "must be above zero"},
		"unknown provider":                  {"[model]\nscheme = \"openia\"", ":2: model.scheme: unknown provider \"openia\"; the providers are anthropic, openai,"},
		"model id with blanks":              {"[model]\nmodel_id = \"a b\"", "is not a model id"},
		"base URL, no scheme":               {"[model]\nbase_url = \"localhost:1\"", "begins with http:// or https://"},
		"base URL, not a URL":               {"[model]\nbase_url = \"http://[\"", "this is not a URL"},
		"base URL, no port":                 {"[model]\nbase_url = \"http://127.0.0.1:/v1\"", "the port of a base URL is 1 to 65535"},
		"base URL, port 0":                  {"[model]\nbase_url = \"http://127.0.0.1:0\"", "the port of a base URL is 1 to 65535"},
		"base URL, port too high":           {"[model]\nbase_url = \"http://127.0.0.1:65536\"", "the port of a base URL is 1 to 65535"},
		"base URL with a key":               {"[model]\nbase_url = \"https://u:hunter2@h.test\"", "may not hold a user name or password"},
		"base URL with a query":             {"[model]\nbase_url = \"https://h.test/?key=hunter2\"", "ends with its path"},
		"auth kind":                         {"[model]\nauth = {kind = \"codex_o_auth\"}", "unknown kind \"codex_o_auth\"; it is none or api_key"},
		"auth env holds the key":            {"[model]\nauth = {env = \"sk-hunter2\"}", "the key itself does not belong here"},
		"tool calling":                      {"[model.capability]\ntool_calling = \"some\"", "it is one of none, sequential, parallel"},
		"max turns of zero":                 {"[worker]\nmax_turns = 0", ":2: worker.max_turns: 0 is not between 1 and"},
		"temperature":                       {"[worker]\ntemperature = nan", "is not between 0 and 2"},
		"effort":                            {"[worker]\neffort = \"max\"", "it is one of low, medium, high"},
		"instruction name":                  {"[worker]\ninstruction = \"$nowhere/x\"", "names no instruction"},
		"instruction absent":                {"[worker]\ninstruction = \"$user/absent\"", "absent"},
		"instruction too long":              {"[worker]\ninstruction = \"" + strings.Repeat("x", 65537) + "\"", "at most 65536 are read"},
		"per tool cap":                      {"[worker.tool_output.per_tool]\nRead = 3", ":2: worker.tool_output.per_tool.Read: 3 is not between 256 and"},
		"per tool name":                     {"[worker.tool_output.per_tool]\n\"a b\" = 300", "this is not the name of a tool"},
		"scope without target":              {"[[scope.allow]]\npermission = \"read\"", "scope.allow[0]: a rule needs a target"},
		"scope, relative to another's home": {"[[scope.deny]]\ntarget = \"~root/x\"\npermission = \"read\"", ":2: scope.deny[0].target: ~root/x: the home folder of another user"},
		"scope, NUL in target":              {"[[scope.deny]]\ntarget = \"a\\u0000b\"\npermission = \"read\"", "the path holds a NUL byte"},
		"scope, no permission":              {"[[scope.allow]]\ntarget = \"x\"", "permission is \"\"; it is read or write"},
		"scope, empty":                      {"[scope]\nallow = []", "an empty list would leave nothing"},
		"threshold below zero":              {"[compaction]\ncompact_threshold = -1", "-1 is not between 0 and"},
		"store in memory":                   {"[store]\npath = \":memory:\"", "would be gone with the command"},
		"store with credentials":            {"[store]\npath = \"me:hunter2@db/x\"", "this looks like user:password@host"},
		"store URL without file":            {"[store]\npath = \"sqlite://\"", "sqlite:///FILE"},
		"store name":                        {"[stores.\"A b\"]\npath = \"x\"", "a store's name is 1 to 32 of"},
		"store name taken":                  {"[stores.local]\npath = \"x\"", "this name is taken"},
		"store without path":                {"[stores.x]", "a store needs a path"},
		"port":                              {"[studio]\nport = 65536", "65536 is not between 0 and 65535"},
		"host":                              {"[studio]\nhost = \"a b\"", "is not a host name or address"},
		"origin":                            {"[studio]\ncors_origins = [\"a.test\"]", "is not an origin"},
		"token with a blank":                {"[studio]\nauth_token = \"hunter2 x\"", "openssl rand -hex 32"},
		"artifact root":                     {"[studio]\nartifact_roots = [\"\"]", "the path is empty"},
		"price below zero":                  {"[catalog.m]\noutput_usd = -0.1", ":2: catalog.m.output_usd: a price is a number from 0 up"},
		"price not finite":                  {"[catalog.m]\noutput_usd = inf", "a price is a number from 0 up"},
		"control characters":                {"[model]\nscheme = \"\\u001b[2J\\u202e\"", `unknown provider "\x1b[2J\u202e"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(p.userFile(), c.toml)
			_, _, err := p.load()
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q\nholds not %q", err, c.want)
			}
			if !strings.Contains(err.Error(), p.userFile()) {
				t.Errorf("error %q does not name the file", err)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "sk-abcdef") {
				t.Errorf("error %q repeats a secret", err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\u202e") {
				t.Errorf("error %q would act on a terminal", err)
			}
		})
	}
}

func TestLoad_BadVariableIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, want string }{
		"PODIUM_PROVIDER":               {"x", "PODIUM_PROVIDER: unknown provider"},
		"PODIUM_BASE_URL":               {"x", "PODIUM_BASE_URL: a base URL begins"},
		"PODIUM_MAX_TURNS":              {"many", "PODIUM_MAX_TURNS: \"many\" is not a whole number"},
		"PODIUM_ALLOW_BASH":             {"perhaps", "PODIUM_ALLOW_BASH: \"perhaps\" is not a switch"},
		"PODIUM_STATE_DB_URL":           {"me:hunter2@h", "PODIUM_STATE_DB_URL: this looks like user:password@host"},
		"PODIUM_SQLITE_BUSY_TIMEOUT_MS": {"0", "PODIUM_SQLITE_BUSY_TIMEOUT_MS: 0 is not between"},
		"PODIUM_STUDIO_PORT":            {"65536", "PODIUM_STUDIO_PORT: 65536 is not between"},
		"PODIUM_STUDIO_AUTH_TOKEN":      {"hunter2 é", "PODIUM_STUDIO_AUTH_TOKEN: the token holds"},
		"CORS_ORIGINS":                  {"x", "CORS_ORIGINS: \"x\" is not an origin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.env[name] = c.value
			_, _, err := p.load()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v\nholds not %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %q repeats a secret", err)
			}
		})
	}
}

func TestLoad_BadFlagIsNamed(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]config.Flags{
		"--provider: unknown provider":        {Provider: "x"},
		"--model: \"a b\" is not a model id":  {Model: "a b"},
		"--base-url: a base URL begins":       {BaseURL: "x"},
		"--max-turns: -1 is not between":      {MaxTurns: -1},
		"--store: a store in memory":          {Store: ":memory:"},
		"--listen: \"8765\" is not HOST:PORT": {Listen: "8765"},
		"--listen: \":1\" is not HOST:PORT":   {Listen: ":1"},
		"--listen: 70000 is not between":      {Listen: "h:70000"},
	} {
		p := newPlace(t)
		_, _, err := p.load(func(o *config.Options) { o.Flags = f })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nholds not %q", err, want)
		}
	}
}

func TestLoad_UserFileThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(p *place)
		want string
	}{
		"a folder": {func(p *place) { p.must(os.Mkdir(p.userFile(), 0o700)) }, "not a regular file"},
		"a FIFO":   {func(p *place) { p.must(syscall.Mkfifo(p.userFile(), 0o600)) }, "not a regular file"},
		"huge":     {func(p *place) { p.write(p.userFile(), strings.Repeat("#", 1<<20+1)) }, "at most 1048576 are read"},
		"changeable by everybody": {func(p *place) {
			p.must(os.Chmod(p.write(p.userFile(), ""), 0o602))
		}, "can be changed by every user (mode 0602); chmod 600 it"},
		"token that others can read": {func(p *place) {
			p.must(os.Chmod(p.write(p.userFile(), "[studio]\nauth_token = \"hunter2\""), 0o640))
		}, ":2: studio.auth_token: other users can read the token"},
		"a link to nothing": {func(p *place) { p.must(os.Symlink("absent/loop", p.userFile())) }, ""},
		"a link to itself":  {func(p *place) { p.must(os.Symlink("config.toml", p.userFile())) }, "symbolic links"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c.make(p)
			_, _, err := p.load()
			if c.want == "" {
				if err != nil {
					t.Errorf("error %v, want none: there is no file", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), p.userFile()) {
				t.Errorf("error %v\nholds not %q or not the file", err, c.want)
			}
		})
	}
}

func TestLoad_FileThatItsGroupCanChangeIsNoticed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.must(os.Chmod(p.write(p.userFile(), ""), 0o660))
	if _, notices := p.mustLoad(); len(notices) != 1 || notices[0].File != p.userFile() {
		t.Errorf("notices %v", notices)
	}
}

func TestLoad_MissingPlacesAreNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for want, change := range map[string]func(o *config.Options){
		"use working folder: stat " + filepath.Join(p.work, "absent"): func(o *config.Options) { o.WorkDir = filepath.Join(p.work, "absent") },
		"is not a folder": func(o *config.Options) { o.WorkDir = p.write(filepath.Join(p.work, "file"), "") },
		"there is no file " + filepath.Join(p.work, "c.toml") + "; make it": func(o *config.Options) { o.ExplicitFile = filepath.Join(p.work, "c.toml") },
		"set PODIUM_HOME to a folder":                                       func(o *config.Options) { o.Env = func(string) (string, bool) { return "", false } },
	} {
		if _, _, err := p.load(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nholds not %q", err, want)
		}
	}
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}
