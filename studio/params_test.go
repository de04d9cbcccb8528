package studio_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/studio"
)

func TestParams_RunsReportEveryProblemExactly(t *testing.T) {
	tests := []struct{ name, query, want string }{
		{"nothing wrong", "page=1&per_page=500&status=a&status=b&project_null=NO", ""},
		{"unknown name", "limit=200", `{"detail":[{"type":"extra_forbidden","loc":["query","limit"],"msg":"Extra inputs are not permitted","input":"200"}]}`},
		{"retired name", "worker=200", `{"detail":[{"type":"extra_forbidden","loc":["query","worker"],"msg":"Extra inputs are not permitted","input":"200"}]}`},
		{"page below", "page=0", `{"detail":[{"type":"greater_than_equal","loc":["query","page"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}}]}`},
		{"page far below", "page=-99999999999999999999", `{"detail":[{"type":"greater_than_equal","loc":["query","page"],"msg":"Input should be greater than or equal to 1","input":"-99999999999999999999","ctx":{"ge":1}}]}`},
		{"per_page above", "per_page=501", `{"detail":[{"type":"less_than_equal","loc":["query","per_page"],"msg":"Input should be less than or equal to 500","input":"501","ctx":{"le":500}}]}`},
		{"per_page far above", "per_page=99999999999999999999", `{"detail":[{"type":"less_than_equal","loc":["query","per_page"],"msg":"Input should be less than or equal to 500","input":"99999999999999999999","ctx":{"le":500}}]}`},
		{"word for a number", "page=abc", `{"detail":[{"type":"int_parsing","loc":["query","page"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"abc"}]}`},
		{"nothing for a number", "page=", `{"detail":[{"type":"int_parsing","loc":["query","page"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":""}]}`},
		{"fraction", "page=1.5", `{"detail":[{"type":"int_parsing","loc":["query","page"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"1.5"}]}`},
		{"too many digits", "page=" + strings.Repeat("9", 4301), `{"detail":[{"type":"int_parsing_size","loc":["query","page"],"msg":"Unable to parse input string as an integer, exceeded maximum size","input":"` + strings.Repeat("9", 4301) + `"}]}`},
		{"word for a bool", "project_null=maybe", `{"detail":[{"type":"bool_parsing","loc":["query","project_null"],"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"}]}`},
		{"nothing for a bool", "project_null=", `{"detail":[{"type":"bool_parsing","loc":["query","project_null"],"msg":"Input should be a valid boolean, unable to interpret input","input":""}]}`},
		{"all at once, declared names first", "zzz=1&project_null=x&per_page=0&page=y&aaa=2&zzz=3",
			`{"detail":[{"type":"int_parsing","loc":["query","page"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"y"},` +
				`{"type":"greater_than_equal","loc":["query","per_page"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}},` +
				`{"type":"bool_parsing","loc":["query","project_null"],"msg":"Input should be a valid boolean, unable to interpret input","input":"x"},` +
				`{"type":"extra_forbidden","loc":["query","zzz"],"msg":"Extra inputs are not permitted","input":"3"},` +
				`{"type":"extra_forbidden","loc":["query","aaa"],"msg":"Extra inputs are not permitted","input":"2"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := studio.ParseRuns(tt.query); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParams_SessionsIgnoreWhatTheyDoNotKnow(t *testing.T) {
	for query, want := range map[string]string{
		"status=x&page=0&listing=2&limit=1": "",
		"limit=501":                         `{"detail":[{"type":"less_than_equal","loc":["query","limit"],"msg":"Input should be less than or equal to 500","input":"501","ctx":{"le":500}}]}`,
		"limit=0":                           `{"detail":[{"type":"greater_than_equal","loc":["query","limit"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}}]}`,
		"offset=-1":                         `{"detail":[{"type":"greater_than_equal","loc":["query","offset"],"msg":"Input should be greater than or equal to 0","input":"-1","ctx":{"ge":0}}]}`,
		"offset=99999999999999":             "",
	} {
		if got := studio.ParseSessions(query); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func TestParams_HandlersRefuseWordsInOneText(t *testing.T) {
	f := &fakeStore{}
	s := newServer(t, f, nil)
	for target, want := range map[string]string{
		"/api/runs/?sort=bogus":                     `{"detail":"sort must be one of: recent, cost"}`,
		"/api/runs/?sort=":                          `{"detail":"sort must be one of: recent, cost"}`,
		"/api/sessions/?sort=bogus":                 `{"detail":"sort must be one of: recent, cost"}`,
		"/api/runs/?kind=bogus":                     `{"detail":"unknown kind filter: ['bogus']; valid: ['agent', 'fanout', 'flow', 'play', 'show']"}`,
		"/api/runs/?kind=z&kind=play&kind=a":        `{"detail":"unknown kind filter: ['a', 'z']; valid: ['agent', 'fanout', 'flow', 'play', 'show']"}`,
		"/api/runs/?kind=":                          `{"detail":"unknown kind filter: ['']; valid: ['agent', 'fanout', 'flow', 'play', 'show']"}`,
		"/api/runs/?kind=engine":                    `{"detail":"unknown kind filter: ['engine']; valid: ['agent', 'fanout', 'flow', 'play', 'show']"}`,
		"/api/runs/?kind=it's":                      `{"detail":"unknown kind filter: [\"it's\"]; valid: ['agent', 'fanout', 'flow', 'play', 'show']"}`,
		"/api/runs/?sort=foo&page=0":                `{"detail":[{"type":"greater_than_equal","loc":["query","page"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}}]}`,
		"/api/usage?by=zz&days=0&tz=x":              `{"detail":[{"type":"greater_than_equal","loc":["query","days"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}}]}`,
		"/api/usage?by=zz&tz=x":                     `{"detail":"by must be one of: day, project, model"}`,
		"/api/usage?by=year":                        `{"detail":"by must be one of: day, project, model"}`,
		"/api/usage?tz=Mars/Olympus":                `{"detail":"tz must be a zone of the IANA database, for example Europe/Berlin"}`,
		"/api/usage?tz=Local":                       `{"detail":"tz must be a zone of the IANA database, for example Europe/Berlin"}`,
		"/api/usage?tz=../etc/passwd":               `{"detail":"tz must be a zone of the IANA database, for example Europe/Berlin"}`,
		"/api/sessions/x/search?q=+":                `{"detail":"q must not be empty"}`,
		"/api/sessions/x/search":                    `{"detail":[{"type":"missing","loc":["query","q"],"msg":"Field required","input":null}]}`,
		"/api/sessions/x/entries?around=a&before=b": `{"detail":"give one of around, before, after and from, not several"}`,
		"/api/sessions/x/entries?limit=501":         `{"detail":[{"type":"less_than_equal","loc":["query","limit"],"msg":"Input should be less than or equal to 500","input":"501","ctx":{"le":500}}]}`,
		"/api/sessions/x/export?format=pdf":         `{"detail":"format must be one of: jsonl, md"}`,
		"/api/runs/x?message_limit=0":               `{"detail":[{"type":"greater_than_equal","loc":["query","message_limit"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}}]}`,
		"/api/runs/x?message_limit=1001":            `{"detail":[{"type":"less_than_equal","loc":["query","message_limit"],"msg":"Input should be less than or equal to 1000","input":"1001","ctx":{"le":1000}}]}`,
		"/api/admin/readiness?timeout_ms=49":        `{"detail":[{"type":"greater_than_equal","loc":["query","timeout_ms"],"msg":"Input should be greater than or equal to 50","input":"49","ctx":{"ge":50}}]}`,
	} {
		want422 := call(t, s.Handler(), http.MethodGet, target, "")
		if want422.Code != http.StatusUnprocessableEntity || want422.Body.String() != want {
			t.Errorf("%s: got %d %s\nwant %s", target, want422.Code, want422.Body, want)
		}
	}
	if n := f.calls.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
}

func TestParams_NumbersAreReadLeniently(t *testing.T) {
	for text, want := range map[string]int64{
		"7": 7, " 7 ": 7, "\t7\n": 7, "+7": 7, "-7": -7, "007": 7, "1_000": 1000, "1.0": 1, "1.000": 1, "1.": 1, "-0": 0, "1_0_0.00": 100,
	} {
		if got, ok, _ := studio.LenientInt(text); !ok || got != want {
			t.Errorf("%q: %d %v", text, got, ok)
		}
	}
	for _, text := range []string{"", " ", "+", "-", "_1", "1_", "1__0", "1.5", ".0", "1e3", "0x10", "１", "1 0", "+-1", "1.0.0", "1,000"} {
		if got, ok, _ := studio.LenientInt(text); ok {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func TestParams_TheQueryStringIsDecodedLeniently(t *testing.T) {
	for raw, want := range map[string][][2]string{
		"":                 nil,
		"a=1&b=2":          {{"a", "1"}, {"b", "2"}},
		"&&a=1&":           {{"a", "1"}},
		"a":                {{"a", ""}},
		"a=":               {{"a", ""}},
		"=a":               {{"", "a"}},
		"a=b=c":            {{"a", "b=c"}},
		"a=%zz%4":          {{"a", "%zz%4"}},
		"a=1;b=2":          {{"a", "1;b=2"}},
		"a+b=c+d%20%2B":    {{"a b", "c d +"}},
		"a=%ff":            {{"a", "\uFFFD"}},
		"a=%C3%A4&%61=%41": {{"a", "ä"}, {"a", "A"}},
	} {
		if diff := cmp.Diff(want, studio.ParseQuery(raw)); diff != "" {
			t.Errorf("%q: %s", raw, diff)
		}
	}
}

func TestParams_AnOffsetBeyondEveryRowNumberFailsAsInV1(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	for _, target := range []string{
		"/api/sessions/?offset=9223372036854775808", "/api/runs/?page=9223372036854775807", "/api/runs/?page=99999999999999999999999",
		"/api/runs/?per_page=500&page=18446744073709553",
	} {
		want(t, call(t, s.Handler(), http.MethodGet, target, ""), http.StatusInternalServerError, "Internal Server Error")
	}
	f := &fakeStore{}
	s = newServer(t, f, nil)
	if w := call(t, s.Handler(), http.MethodGet, "/api/sessions/?offset=9223372036854775807", ""); w.Code != http.StatusOK || f.lastQ.Offset != 1<<63-1 {
		t.Errorf("the last offset: %d, asked %d", w.Code, f.lastQ.Offset)
	}
}

func TestParams_FiltersReachTheStoreExpanded(t *testing.T) {
	f := &fakeStore{}
	s := newServer(t, f, nil)
	call(t, s.Handler(), http.MethodGet, "/api/runs/?status=done&status=timeout&status=x&kind=show&kind=agent&tag=b&tag=a&tag=b&search=S%25&playbook=p&project=q&page=3&per_page=7&sort=cost", "")
	want := session.PageQuery{
		Filter: session.Filter{
			Statuses: []string{"completed", "done", "finished", "success", "timed_out", "timeout", "x"},
			Kinds:    []string{"agent", "show", "show-play"}, Tags: []string{"b", "a"}, Search: "S%", Playbook: "p", Project: "q",
		},
		Order: session.OrderCost, Limit: 7, Offset: 14, WithTags: true,
	}
	if diff := cmp.Diff(want, f.lastQ); diff != "" {
		t.Error(diff)
	}
	call(t, s.Handler(), http.MethodGet, "/api/runs/", "")
	if diff := cmp.Diff(session.PageQuery{Order: session.OrderRecent, Limit: 20, WithTags: true}, f.lastQ); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"a=1&b=%zz", "page=1.0&page=2", "%", "a=%F0%9F%98%80;b", "status=&tag=&kind=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, p := range studio.ParseQuery(raw) {
			if !utf8.ValidString(p[0]) || !utf8.ValidString(p[1]) {
				t.Errorf("%q gave %q", raw, p)
			}
		}
		// What the standard library reads without complaint reads the same here,
		// semicolons and invalid text aside.
		if values, err := url.ParseQuery(raw); err == nil {
			n := 0
			for name, list := range values {
				n += len(list)
				if !utf8.ValidString(name + strings.Join(list, "")) {
					return
				}
			}
			if got := len(studio.ParseQuery(raw)); got != n {
				t.Errorf("%q: %d pairs, the library reads %d", raw, got, n)
			}
		}
		_ = studio.ParseRuns(raw)
		_ = studio.ParseSessions(raw)
	})
}

func FuzzLenientInt(f *testing.F) {
	for _, seed := range []string{"1", "-0", "1_0", "1.00", " 9223372036854775808 ", "+1_", "1e9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok, huge := studio.LenientInt(text)
		if !ok && (n != 0 || huge) {
			t.Errorf("%q is malformed and gave %d", text, n)
		}
	})
}
