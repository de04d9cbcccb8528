package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsage_AMistakeIsSaidInWordsAndExitsWith2 wants neither Go's words nor the
// flag parser's.
func TestUsage_AMistakeIsSaidInWordsAndExitsWith2(t *testing.T) {
	script := filepath.Join(t.TempDir(), "s.toml")
	if err := os.WriteFile(script, []byte("[[reply]]\ntext = \"hi\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := listed(t, 1)
	for line, want := range map[string]string{
		"run --max-turns x":               `--max-turns is "x": it must be a whole number; see podium run --help`,
		"run --allow-bash=maybe":          `--allow-bash is "maybe": it must be true or false; see podium run --help`,
		"gc --idle soon":                  `--idle is "soon": it must be a time like 90s or 12h; see podium gc --help`,
		"gc --nope":                       `unknown flag: --nope; see podium gc --help`,
		"stop -7":                         `there is no flag -7; an argument that begins with - goes behind --; see podium stop --help`,
		"sessions show":                   `podium sessions show takes ID, and there is nothing; see podium sessions show --help`,
		"sessions show a b":               `podium sessions show takes ID, not 2 arguments; see podium sessions show --help`,
		"sessions show ":                  `the session is empty: give its id; podium sessions list shows the ids`,
		"sessions list x":                 `podium sessions list takes no arguments, and "x" is one; see podium sessions list --help`,
		"sessions foo":                    `podium sessions has no command "foo"; see podium sessions --help`,
		"send a":                          `podium send takes NAME TEXT, not 1 argument; see podium send --help`,
		"trust --list .":                  `--list lists all that is trusted and takes no folder; see podium trust --help`,
		"trust":                           `podium trust takes DIR, and there is nothing; see podium trust --help`,
		"foo":                             `unknown command "foo"; podium --help lists the commands`,
		"help foo":                        `there is no command "foo"; podium --help lists them`,
		"help sessions foo":               `there is no command "sessions foo"; podium sessions --help lists them`,
		"completion foo":                  `podium completion has no command "foo"; see podium completion --help`,
		"rehearse --listen foo " + script: `--listen is "foo": it must be HOST:PORT, as in 127.0.0.1:0`,
		"rehearse --listen 127.0.0.1:99999 " + script: `--listen is "127.0.0.1:99999": it must be HOST:PORT, as in 127.0.0.1:0`,
	} {
		code, out, errs := runIn(t.Context(), home, strings.Split(line, " ")...)
		if code != exitUsage || out != "" || errs != "podium: "+want+"\n" {
			t.Errorf("podium %s: %d %s\ngot  %swant %s", line, code, out, errs, "podium: "+want)
		}
	}
	for _, line := range []string{"--version", "version", "help sessions list", "help", "help help", "completion", "sessions"} {
		code, out, errs := runIn(t.Context(), home, strings.Split(line, " ")...)
		if code != exitOK || out == "" || errs != "" {
			t.Errorf("podium %s: %d %s%s", line, code, out, errs)
		}
	}
	_, flag, _ := runIn(t.Context(), home, "--version")
	if _, command, _ := runIn(t.Context(), home, "version"); flag != command {
		t.Errorf("--version says %q, version %q", flag, command)
	}
}

// TestErrors_NameTheNextStep covers what is named and is not there.
func TestErrors_NameTheNextStep(t *testing.T) {
	home := listed(t, 1)
	nope := filepath.Join(home, "nope")
	empty := filepath.Join(home, "empty.toml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"rm", "nope"}, "there is no pod nope; podium ps --all lists the pods"},
		{[]string{"run", "--session", "nope", "-p", "x", "--provider", "ollama", "--model", "m"}, "there is no session nope; podium sessions list shows the ids"},
		{[]string{"run", "--config", nope, "-p", "x"}, "there is no file " + nope + "; make it, or name another one with --config"},
		{[]string{"store", "backup", filepath.Join(nope, "x")}, "folder " + nope + ": no such file or directory; make it, or name another one"},
		{[]string{"store", "restore", nope}, "name a file that `podium store backup` wrote"},
		{[]string{"trust", nope}, "there is no such folder; name one that holds .podium/config.toml, or one below it"},
		{[]string{"rehearse", "--check", empty}, "has no replies, so that every request would fail; add a [[reply]]"},
		{[]string{"run", "-p", "x", "--provider", "openai-chat", "--model", "m", "--base-url", "http://127.0.0.1:/v1"}, "the port of a base URL is 1 to 65535"},
	} {
		code, out, errs := runIn(t.Context(), home, tt.args...)
		if code == exitOK || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: %d %s%s", tt.args, code, out, errs)
		}
	}
}
