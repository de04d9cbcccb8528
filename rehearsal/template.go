package rehearsal

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// text is a string of a script with its templates parsed.
type text struct {
	plain string
	tmpl  *template.Template // nil when the string holds no template
}

// templateFuncs names what a template may call, for parsing and for messages.
var templateFuncs = (&scene{}).funcs()

func parseText(s string) (text, error) {
	if !strings.Contains(s, "{{") {
		return text{plain: s}, nil
	}
	t, err := template.New("").Option("missingkey=error").Funcs(templateFuncs).Parse(s)
	if err != nil {
		_, msg, _ := strings.Cut(err.Error(), "template: ")
		return text{}, fmt.Errorf("bad template %q: %s; templates may use %s",
			s, strings.TrimPrefix(msg, ":1: "), strings.Join(slices.Sorted(maps.Keys(templateFuncs)), ", "))
	}
	return text{plain: s, tmpl: t}, nil
}

// maxRepeat bounds what one template may make of a few letters.
const maxRepeat = 64 << 20

// scene is what templates of one answer see.
type scene struct {
	prompt *prompt
	actor  string
	vars   map[string]string
}

func (s *scene) funcs() template.FuncMap {
	return template.FuncMap{
		"actor":  func() string { return s.actor },
		"model":  func() string { return s.prompt.model },
		"turn":   func() int { return s.prompt.turn() },
		"step":   func() int { return s.prompt.step() },
		"user":   func() string { return s.prompt.user() },
		"system": func() string { return s.prompt.system },
		"result": func() string { return s.prompt.result() },
		"resultOf": func(tool string) (string, error) {
			if text, ok := s.prompt.resultOf(tool); ok {
				return text, nil
			}
			return "", fmt.Errorf("the conversation holds no result of a tool %q", tool)
		},
		"cwd":    s.cwd,
		"var":    s.variable,
		"match":  match,
		"repeat": repeat,
	}
}

func (s *scene) variable(name string) (string, error) {
	if v, ok := s.vars[name]; ok {
		return v, nil
	}
	return "", fmt.Errorf("no variable %q was set; podium rehearse sets one with --set %s=VALUE", name, name)
}

// workingFolder finds the folder an agent was told it works in, in the words
// agents usually say it.
var workingFolder = regexp.MustCompile("(?i)(?:working (?:directory|folder)|current (?:directory|folder)|cwd)[^/\\n]{0,40}?[:=\\s\"'`(<]((?:/|[A-Za-z]:[\\\\/])[^\"'`)>\\n]*)")

// cwd is the variable of that name, else the folder named in the system
// prompt, else in the user's texts.
func (s *scene) cwd() (string, error) {
	if v, ok := s.vars["cwd"]; ok {
		return v, nil
	}
	for _, where := range []string{s.prompt.system, s.prompt.userTexts()} {
		if m := workingFolder.FindStringSubmatch(where); m != nil {
			return m[1][:1] + strings.TrimRight(m[1][1:], " .,;/"), nil
		}
	}
	return "", errors.New("neither the system prompt nor the user names a working directory; set one with --set cwd=DIR")
}

// match is the first group of a regular expression, or all it matched when it
// has no group.
func match(pattern, in string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", fmt.Errorf("bad pattern %q: %w", pattern, err)
	}
	m := re.FindStringSubmatch(in)
	if m == nil {
		return "", fmt.Errorf("the pattern %q occurs nowhere in %q", pattern, shorten(in, 80))
	}
	return m[min(1, len(m)-1)], nil
}

func repeat(s string, n int) (string, error) {
	if n < 0 || len(s) > 0 && n > maxRepeat/len(s) {
		return "", fmt.Errorf("repeat %d times %d bytes is more than %d bytes", n, len(s), maxRepeat)
	}
	return strings.Repeat(s, n), nil
}

// shorten cuts s for a message, at a character border.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// fill runs the templates of t.
func (s *scene) fill(t text) (string, error) {
	if t.tmpl == nil {
		return t.plain, nil
	}
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := tmpl.Funcs(s.funcs()).Execute(&b, nil); err != nil {
		var exec template.ExecError
		if errors.As(err, &exec) && exec.Err != nil {
			err = exec.Err
			if own := errors.Unwrap(err); own != nil {
				err = own // what a function of ours said, without the parser's words
			}
		}
		return "", fmt.Errorf("template %q: %w", shorten(t.plain, 80), err)
	}
	return b.String(), nil
}
