package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Flags are what the command line set; the zero value sets nothing.
type Flags struct {
	Provider, Model, BaseURL string
	// MaxTurns is 0 when not given.
	MaxTurns int
	// AllowBash is nil when not given.
	AllowBash *bool
	// Store is a file, relative to the process's own folder.
	Store string
	// Listen is HOST:PORT.
	Listen string
}

// setting is one variable or flag and the key it sets.
type setting struct {
	name, key string
	set       func(l *layer, text string) error
}

// variables are the environment's layer. An empty variable sets nothing, but
// an empty CORS_ORIGINS allows no origin.
var variables = []setting{
	{"PODIUM_PROVIDER", "model.scheme", setProvider},
	{"PODIUM_MODEL", "model.model_id", func(l *layer, s string) error { l.Model.ModelID = &s; return nil }},
	{"PODIUM_BASE_URL", "model.base_url", func(l *layer, s string) error { l.Model.BaseURL = &s; return nil }},
	{"PODIUM_MAX_TURNS", "worker.max_turns", func(l *layer, s string) error { return setInt(&l.Worker.MaxTurns, s) }},
	{"PODIUM_ALLOW_BASH", "worker.allow_bash", func(l *layer, s string) error { return setBool(&l.Worker.AllowBash, s) }},
	{"PODIUM_STATE_DB_URL", "store.path", func(l *layer, s string) error { l.Store.Path = &s; return nil }},
	{"PODIUM_SQLITE_BUSY_TIMEOUT_MS", "store.busy_timeout", setMilliseconds},
	{"PODIUM_STUDIO_HOST", "studio.host", func(l *layer, s string) error { l.Studio.Host = &s; return nil }},
	{"PODIUM_STUDIO_PORT", "studio.port", func(l *layer, s string) error { return setInt(&l.Studio.Port, s) }},
	{"PODIUM_STUDIO_AUTH_TOKEN", "studio.auth_token", func(l *layer, s string) error { l.Studio.AuthToken = &s; return nil }},
	{"CORS_ORIGINS", "studio.cors_origins", setOrigins},
	{"CLAUDE_CONFIG_DIR", "import.claude_code", func(l *layer, s string) error { l.Import.ClaudeCode = &s; return nil }},
	{"CODEX_HOME", "import.codex", func(l *layer, s string) error { l.Import.Codex = &s; return nil }},
}

func setProvider(l *layer, s string) error {
	p := Provider(s)
	l.Model.Scheme = &p
	return nil
}

func setMilliseconds(l *layer, s string) error {
	var ms *int64
	if err := setInt(&ms, s); err != nil {
		return err
	}
	if *ms < 1 || *ms > 3_600_000 {
		return fmt.Errorf("%d is not between 1 and 3600000", *ms)
	}
	l.Store.BusyTimeout = &duration{time.Duration(*ms) * time.Millisecond}
	return nil
}

func setOrigins(l *layer, s string) error {
	l.Studio.CORSOrigins = []string{}
	for o := range strings.SplitSeq(s, ",") {
		if o = strings.TrimSpace(o); o != "" {
			l.Studio.CORSOrigins = append(l.Studio.CORSOrigins, o)
		}
	}
	return nil
}

func setInt(dst **int64, s string) error {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", s)
	}
	*dst = &n
	return nil
}

// setBool takes the spellings of every switch in the environment.
func setBool(dst **bool, s string) error {
	var on bool
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		on = true
	case "0", "false", "no", "off", "":
	default:
		return fmt.Errorf("%q is not a switch; it is one of 1 true yes on 0 false no off", s)
	}
	*dst = &on
	return nil
}

// fromEnvironment is the environment's layer and how its keys are named in
// errors.
func fromEnvironment(lookup func(string) (string, bool)) (layer, map[string]string, error) {
	var l layer
	names := map[string]string{}
	for _, v := range variables {
		text, ok := lookup(v.name)
		if !ok || text == "" && v.name != "CORS_ORIGINS" {
			continue
		}
		if err := v.set(&l, text); err != nil {
			return layer{}, nil, fmt.Errorf("%s: %w", v.name, err)
		}
		names[v.key] = v.name
	}
	return l, names, nil
}

// FlagError is a mistake on the command line, not in a file or variable.
type FlagError struct{ err error }

// Error says which flag and what is wrong with it.
func (e *FlagError) Error() string { return e.err.Error() }

// Unwrap is the mistake.
func (e *FlagError) Unwrap() error { return e.err }

// fromFlags is the command line's layer.
func fromFlags(f Flags) (layer, map[string]string, error) {
	var l layer
	names := map[string]string{}
	text := func(flag, name, value string, dst **string) {
		if value != "" {
			*dst = &value
			names[name] = flag
		}
	}
	if f.Provider != "" {
		_ = setProvider(&l, f.Provider)
		names["model.scheme"] = "--provider"
	}
	text("--model", "model.model_id", f.Model, &l.Model.ModelID)
	text("--base-url", "model.base_url", f.BaseURL, &l.Model.BaseURL)
	text("--store", "store.path", f.Store, &l.Store.Path)
	if f.MaxTurns != 0 {
		n := int64(f.MaxTurns)
		l.Worker.MaxTurns = &n
		names["worker.max_turns"] = "--max-turns"
	}
	l.Worker.AllowBash = f.AllowBash
	if f.Listen != "" {
		host, port, err := splitListen(f.Listen)
		if err != nil {
			return layer{}, nil, err
		}
		l.Studio.Host, l.Studio.Port = &host, &port
		names["studio.host"], names["studio.port"] = "--listen", "--listen"
	}
	return l, names, nil
}

// splitListen reads HOST:PORT; an IPv6 address stands in brackets.
func splitListen(s string) (string, int64, error) {
	host, text, err := net.SplitHostPort(s)
	if err == nil && host != "" {
		var port *int64
		if err = setInt(&port, text); err == nil {
			return host, *port, nil
		}
	}
	return "", 0, fmt.Errorf("--listen: %q is not HOST:PORT, as in 127.0.0.1:8765", s)
}
