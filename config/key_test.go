package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podium.local/config"
)

func TestAPIKey_ComesFromTheVariableThenTheFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model string
		env   map[string]string
		want  string
		err   string
	}{
		"usual variable, anthropic":       {`scheme = "anthropic"`, map[string]string{"ANTHROPIC_API_KEY": " a \n"}, "a", ""},
		"usual variable, openai":          {`scheme = "openai"`, map[string]string{"OPENAI_API_KEY": "o"}, "o", ""},
		"usual variable, openai-chat":     {`scheme = "openai-chat"`, map[string]string{"OPENAI_API_KEY": "o"}, "o", ""},
		"usual variable, gemini":          {`scheme = "gemini"`, map[string]string{"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o"}, "g", ""},
		"named variable":                  {"scheme = \"openai\"\nauth = {env = \"MINE\"}", map[string]string{"MINE": "m", "OPENAI_API_KEY": "o"}, "m", ""},
		"variable before file":            {"scheme = \"openai\"\nauth = {file = \"k\"}", map[string]string{"OPENAI_API_KEY": "o"}, "o", ""},
		"file when the variable is empty": {"scheme = \"openai\"\nauth = {file = \"k\"}", map[string]string{"OPENAI_API_KEY": " "}, "from-file", ""},
		"missing":                         {`scheme = "anthropic"`, nil, "", "no key for anthropic: set ANTHROPIC_API_KEY, or name a file"},
		"missing, insisted on":            {"scheme = \"ollama\"\nauth = {kind = \"api_key\"}", nil, "", "no key for ollama: name a variable or a file"},
		"missing, named":                  {"scheme = \"openai-chat\"\nbase_url = \"http://h.test\"\nauth = {env = \"MINE\"}", map[string]string{"OPENAI_API_KEY": "o"}, "", "set MINE"},
		"local server":                    {"scheme = \"openai-chat\"\nbase_url = \"http://127.0.0.1:1\"", nil, "", ""},
		"ollama":                          {`scheme = "ollama"`, map[string]string{"OPENAI_API_KEY": "o"}, "", ""},
		"none wanted":                     {"scheme = \"openai\"\nauth = {kind = \"none\"}", map[string]string{"OPENAI_API_KEY": "o"}, "", ""},
		"two words":                       {`scheme = "openai"`, map[string]string{"OPENAI_API_KEY": "hunter2 hunter3"}, "", "the variable OPENAI_API_KEY: it holds a blank"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(filepath.Join(p.home, "k"), "from-file\n")
			p.write(p.userFile(), "[model]\n"+c.model)
			for k, v := range c.env {
				p.env[k] = v
			}
			cfg, _ := p.mustLoad()
			key, err := cfg.APIKey(cfg.Model)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "hunter") {
					t.Errorf("error %v\nholds not %q, or the key", err, c.err)
				}
				return
			}
			if err != nil || key.Reveal() != c.want {
				t.Errorf("%q, %v", key.Reveal(), err)
			}
		})
	}
}

func TestAPIKey_FileThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(p *place, file string)
		want string
	}{
		"absent":      {func(*place, string) {}, "no such file"},
		"by everyone": {func(p *place, file string) { p.must(os.Chmod(p.write(file, "hunter2"), 0o604)) }, "other users can read it (mode 0604); chmod 600 it"},
		"by a group":  {func(p *place, file string) { p.must(os.Chmod(p.write(file, "hunter2"), 0o640)) }, "chmod 600 it"},
		"empty":       {func(p *place, file string) { p.write(file, " \n") }, "it is empty"},
		"two lines":   {func(p *place, file string) { p.write(file, "hunter2\nhunter3") }, "it holds a blank, a line break"},
		"huge":        {func(p *place, file string) { p.write(file, strings.Repeat("k", 16<<10+1)) }, "at most 16384"},
		"a FIFO":      {func(p *place, file string) { p.must(syscall.Mkfifo(file, 0o600)) }, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			file := filepath.Join(p.home, "k")
			c.make(p, file)
			p.write(p.userFile(), "[model]\nscheme = \"openai\"\nauth = {file = \"k\"}")
			cfg, _ := p.mustLoad()
			_, err := cfg.APIKey(cfg.Model)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
				t.Fatalf("error %v\nholds not %q or not the file", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("error %q repeats the key", err)
			}
		})
	}
}

func TestSecret_IsNeverPrinted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.env["PODIUM_STUDIO_AUTH_TOKEN"] = "hunter2"
	c, _ := p.mustLoad()
	if c.Studio.AuthToken.Reveal() != "hunter2" {
		t.Fatal("the token was not read")
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", c.Studio.AuthToken)
		fmt.Fprintf(&out, verb+"\n", c.Studio)
		fmt.Fprintf(&out, verb+"\n", c)
		fmt.Fprintf(&out, verb+"\n", &c)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "token", c.Studio.AuthToken, "config", c, "studio", c.Studio)
	}
	for _, v := range []any{c, c.Studio, c.Studio.AuthToken} {
		if err := json.NewEncoder(&out).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("printed:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "[redacted]") || (config.Secret{}).String() != "" {
		t.Error("whether there is a secret should be seen")
	}
}
