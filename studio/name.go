package studio

import (
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"podium.local/session"
)

// maxNameRunes is how long a name derived from a prompt may be.
const maxNameRunes = 80

// stripPasses bounds how often leading noise is taken off a prompt.
const stripPasses = 6

// Leading noise of prompts, in the order in which it is tried: a YAML block
// indicator, a framework banner, a markdown rule or heading, a short label.
var leadingNoise = []*regexp.Regexp{
	regexp.MustCompile(`^\|[-+]?\s*`),
	regexp.MustCompile(`(?i)^(?:LION_SYSTEM_MESSAGE|END_OF_LION_SYSTEM_MESSAGE)\b[\s:.\-]*`),
	regexp.MustCompile(`^(?:-{2,}|#{1,6})\s*`),
	regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _-]{0,24}:\s*`),
}

// placeholderNames are stored names that say nothing.
var placeholderNames = []string{"agent", "session", "flow", "codex session"}

// displayName is the one name a session shows everywhere: what it played or
// ran, else the agent with its id and start, else its own cleaned name, else
// the end of its id.
func displayName(r *session.Row) string {
	for _, candidate := range []*string{r.ShowPlayName, r.PlaybookName} {
		if s := stripped(candidate); s != "" {
			return s
		}
	}
	if agent := stripped(r.AgentName); agent != "" {
		return agentLabel(agent, r.ID, r.StartedAt)
	}
	if name := stripped(r.Name); name != "" && !placeholderName(name) {
		if s := cleanPrompt(name); s != "" {
			return s
		}
	}
	return lastRunes(r.ID, 12)
}

// agentLabel joins what is known of an agent's session: name, the first four
// characters of the id, the start as HH:MM in UTC.
func agentLabel(agent, id string, startedAt *float64) string {
	parts := []string{agent}
	if short := firstRunes(trimBlank(id), 4); short != "" {
		parts = append(parts, short)
	}
	if startedAt != nil && math.Abs(*startedAt) < 1e12 {
		parts = append(parts, time.Unix(int64(math.Floor(*startedAt)), 0).UTC().Format("15:04"))
	}
	return strings.Join(parts, " · ")
}

// cleanPrompt makes a short name of prompt-like text: one line, leading noise
// gone, at most maxNameRunes. Empty when nothing remains.
func cleanPrompt(raw string) string {
	text := strings.Join(strings.FieldsFunc(raw, blank), " ")
	for range stripPasses {
		changed := false
		for _, noise := range leadingNoise {
			if s := trimBlank(noise.ReplaceAllString(text, "")); s != text {
				text, changed = s, true
				break
			}
		}
		if !changed {
			break
		}
	}
	if utf8.RuneCountInString(text) > maxNameRunes {
		text = strings.TrimRightFunc(firstRunes(text, maxNameRunes-1), blank) + "…"
	}
	return text
}

func placeholderName(name string) bool {
	for _, p := range placeholderNames {
		if strings.EqualFold(name, p) {
			return true
		}
	}
	return false
}

// blank is what counts as white space in stored text: Unicode's and the four
// separators of ASCII.
func blank(r rune) bool {
	return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f)
}

func trimBlank(s string) string { return strings.TrimFunc(s, blank) }

// stripped is the trimmed text of an optional column, empty for none.
func stripped(s *string) string {
	if s == nil {
		return ""
	}
	return trimBlank(*s)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
