package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// layer is one source's say, key by key as in config.toml. Nil is "not set
// here". Slices replace as a whole; tables and maps merge key by key.
type layer struct {
	Model      modelLayer              `toml:"model"`
	Worker     workerLayer             `toml:"worker"`
	Scope      scopeLayer              `toml:"scope"`
	Compaction compactionLayer         `toml:"compaction"`
	Store      storeLayer              `toml:"store"`
	Stores     map[string]storeRef     `toml:"stores"`
	Studio     studioLayer             `toml:"studio"`
	Import     importLayer             `toml:"import"`
	Catalog    map[string]catalogLayer `toml:"catalog"`
}

type modelLayer struct {
	Scheme            *Provider        `toml:"scheme"`
	ModelID           *string          `toml:"model_id"`
	BaseURL           *string          `toml:"base_url"`
	Auth              *authLayer       `toml:"auth"`
	Capability        *capabilityLayer `toml:"capability"`
	Context           *int64           `toml:"context"`
	ConnectTimeout    *duration        `toml:"connect_timeout"`
	FirstEventTimeout *duration        `toml:"first_event_timeout"`
	IdleTimeout       *duration        `toml:"idle_timeout"`
	MaxRetries        *int64           `toml:"max_retries"`
}

// authLayer and capabilityLayer replace as a whole: half of a lower layer's
// key setting must not survive in a higher one's.
type authLayer struct {
	Kind *AuthKind `toml:"kind"`
	Env  *string   `toml:"env"`
	File *string   `toml:"file"`
}

type capabilityLayer struct {
	ToolCalling      *string        `toml:"tool_calling"`
	StructuredOutput *string        `toml:"structured_output"`
	Reasoning        any            `toml:"reasoning"`
	Vision           *bool          `toml:"vision"`
	PromptCaching    map[string]any `toml:"prompt_caching"`
}

type workerLayer struct {
	Instruction *string         `toml:"instruction"`
	MaxTokens   *int64          `toml:"max_tokens"`
	MaxTurns    *int64          `toml:"max_turns"`
	Temperature *float64        `toml:"temperature"`
	Effort      *string         `toml:"effort"`
	AllowBash   *bool           `toml:"allow_bash"`
	ToolOutput  toolOutputLayer `toml:"tool_output"`
}

type toolOutputLayer struct {
	DefaultMaxBytes *int64           `toml:"default_max_bytes"`
	PerTool         map[string]int64 `toml:"per_tool"`
}

type scopeLayer struct {
	Allow []ruleLayer `toml:"allow"`
	Deny  []ruleLayer `toml:"deny"`
}

type ruleLayer struct {
	Target     string     `toml:"target"`
	Permission Permission `toml:"permission"`
	Recursive  *bool      `toml:"recursive"`
}

type compactionLayer struct {
	Threshold            *int64     `toml:"compact_threshold"`
	RequestThreshold     *int64     `toml:"compact_request_threshold"`
	RetainedTokens       *int64     `toml:"compact_retained_tokens"`
	AutoReadBudget       *int64     `toml:"compact_auto_read_budget"`
	WorkerMaxInputTokens *int64     `toml:"compact_worker_max_input_tokens"`
	Model                modelLayer `toml:"model"`
	PruneProtectedTurns  *int64     `toml:"prune_protected_turns"`
	PruneMinSavings      *int64     `toml:"prune_min_savings"`
}

type storeLayer struct {
	Path        *string   `toml:"path"`
	BusyTimeout *duration `toml:"busy_timeout"`
}

type storeRef struct {
	Path *string `toml:"path"`
}

type studioLayer struct {
	Host          *string  `toml:"host"`
	Port          *int64   `toml:"port"`
	AuthToken     *string  `toml:"auth_token"`
	CORSOrigins   []string `toml:"cors_origins"`
	ArtifactRoots []string `toml:"artifact_roots"`
}

type importLayer struct {
	Watch         *bool     `toml:"watch"`
	SweepInterval *duration `toml:"sweep_interval"`
	ClaudeCode    *string   `toml:"claude_code"`
	Codex         *string   `toml:"codex"`
}

type catalogLayer struct {
	InputUSD      *float64 `toml:"input_usd"`
	OutputUSD     *float64 `toml:"output_usd"`
	CacheReadUSD  *float64 `toml:"cache_read_usd"`
	CacheWriteUSD *float64 `toml:"cache_write_usd"`
	Context       *int64   `toml:"context"`
}

// duration is a time span in the notation of Go: 500ms, 10s, 2m30s. It is no
// number to the decoder, or a bare 5 would pass as five nanoseconds.
type duration struct{ span time.Duration }

// UnmarshalText parses the notation; a span of zero or less is refused.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time span like 500ms, 10s or 2m", text)
	}
	if v <= 0 {
		return fmt.Errorf("a time span must be above zero, not %q", text)
	}
	d.span = v
	return nil
}

// overlay puts src over dst: a value that src sets replaces dst's.
func (l *layer) overlay(src layer) {
	// Another provider than below means another vendor: what the layers below
	// said about the old one, its key above all, must not go to the new one. What
	// they said without naming a provider was meant for whichever is chosen.
	forgetOtherVendor(&l.Model, src.Model)
	forgetOtherVendor(&l.Compaction.Model, src.Compaction.Model)
	overlayValue(reflect.ValueOf(l).Elem(), reflect.ValueOf(src))
}

func forgetOtherVendor(dst *modelLayer, src modelLayer) {
	if src.Scheme == nil || dst.Scheme == nil || *dst.Scheme == *src.Scheme {
		return
	}
	dst.ModelID, dst.BaseURL, dst.Auth, dst.Capability, dst.Context = nil, nil, nil, nil, nil
}

func overlayValue(dst, src reflect.Value) {
	switch dst.Kind() {
	case reflect.Struct:
		for i := range dst.NumField() {
			overlayValue(dst.Field(i), src.Field(i))
		}
	case reflect.Map:
		if src.Len() > 0 && dst.IsNil() {
			dst.Set(reflect.MakeMap(dst.Type()))
		}
		for it := src.MapRange(); it.Next(); {
			merged := reflect.New(dst.Type().Elem()).Elem()
			if have := dst.MapIndex(it.Key()); have.IsValid() {
				merged.Set(have)
			}
			overlayValue(merged, it.Value())
			dst.SetMapIndex(it.Key(), merged)
		}
	case reflect.Pointer, reflect.Slice:
		if !src.IsNil() {
			dst.Set(src)
		}
	default:
		dst.Set(src)
	}
}

// key is a key of config.toml: the tables it stands in and its name. A part of
// an array has its position as a part of its own, as in "[0]".
type key []string

// String writes the key as in a file, quoting what has to be quoted.
func (k key) String() string {
	var b strings.Builder
	for i, part := range k {
		switch {
		case strings.HasPrefix(part, "["):
			b.WriteString(part)
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(quoteKey(part))
	}
	return b.String()
}

func quoteKey(part string) string {
	bare := part != ""
	for _, r := range part {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			bare = false
		}
	}
	if bare {
		return part
	}
	return printable(fmt.Sprintf("%q", part))
}
