package studio

import (
	"math"
	"strconv"
	"strings"
)

// query is a request's query string, decoded leniently: pairs are split at &
// only, a bad escape stands for itself, invalid UTF-8 is replaced.
type query []pair

type pair struct{ name, value string }

// parseQuery never fails.
func parseQuery(raw string) query {
	var q query
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		q = append(q, pair{unescape(name), unescape(value)})
	}
	return q
}

// unescape decodes + and the escapes that are well-formed.
func unescape(s string) string {
	if !strings.ContainsAny(s, "+%") {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && nibble(s[i+1]) >= 0 && nibble(s[i+2]) >= 0:
			out = append(out, byte(nibble(s[i+1])<<4|nibble(s[i+2])))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

func nibble(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// last is the value of the last pair of that name: for scalars it wins.
func (q query) last(name string) (string, bool) {
	for i := len(q) - 1; i >= 0; i-- {
		if q[i].name == name {
			return q[i].value, true
		}
	}
	return "", false
}

// all are the values of every pair of that name, in order; nil for none.
func (q query) all(name string) []string {
	var values []string
	for _, p := range q {
		if p.name == name {
			values = append(values, p.value)
		}
	}
	return values
}

// paramKind is the type of a parameter.
type paramKind int

const (
	intParam paramKind = iota
	boolParam
	stringParam
	listParam
)

// param declares one query parameter: how it is read and how it is
// documented.
type param struct {
	name     string
	kind     paramKind
	doc      string
	required bool
	// def, min and max belong to intParam; max < min means no upper bound.
	def, min, max int64
	unbounded     bool // an intParam without any bound at all
	// defText and words document a stringParam; its route checks them.
	defText string
	words   []string
}

// values are the parsed parameters of one request.
type values struct {
	ints    map[string]int64
	bools   map[string]bool
	strings map[string]string
	lists   map[string][]string
	// huge names integers that passed their bounds but do not fit in 64 bits.
	huge map[string]bool
}

// str is a string parameter, and whether it was given.
func (v *values) str(name string) (string, bool) {
	s, ok := v.strings[name]
	return s, ok
}

// params are the parameters of a route. With strict set a name that is not
// declared is a problem, otherwise it is ignored.
type params struct {
	list   []param
	strict bool
}

// parse reads all parameters and reports every problem at once, declared ones
// first, in the order of declaration.
func (ps params) parse(q query) (*values, []fieldProblem) {
	v := &values{
		ints: map[string]int64{}, bools: map[string]bool{}, strings: map[string]string{},
		lists: map[string][]string{}, huge: map[string]bool{},
	}
	var problems []fieldProblem
	known := make(map[string]bool, len(ps.list))
	for _, p := range ps.list {
		known[p.name] = true
		if problem := p.read(q, v); problem != nil {
			problems = append(problems, *problem)
		}
	}
	if ps.strict {
		reported := make(map[string]bool)
		for _, pair := range q {
			if known[pair.name] || reported[pair.name] {
				continue
			}
			reported[pair.name] = true
			value, _ := q.last(pair.name)
			problems = append(problems, queryProblem("extra_forbidden", pair.name, "Extra inputs are not permitted", value))
		}
	}
	return v, problems
}

// read takes one parameter out of the query.
func (p param) read(q query, v *values) *fieldProblem {
	if p.kind == listParam {
		if all := q.all(p.name); all != nil {
			v.lists[p.name] = all
		}
		return nil
	}
	raw, given := q.last(p.name)
	if !given {
		if p.required {
			problem := queryProblem("missing", p.name, "Field required", "")
			problem.Input = "null"
			return &problem
		}
		if p.kind == intParam {
			v.ints[p.name] = p.def
		}
		return nil
	}
	switch p.kind {
	case intParam:
		return p.readInt(raw, v)
	case boolParam:
		b, ok := lenientBool(raw)
		if !ok {
			problem := queryProblem("bool_parsing", p.name, "Input should be a valid boolean, unable to interpret input", raw)
			return &problem
		}
		v.bools[p.name] = b
	default:
		v.strings[p.name] = raw
	}
	return nil
}

func (p param) readInt(raw string, v *values) *fieldProblem {
	n, state := lenientInt(raw)
	var problem fieldProblem
	switch {
	case state == intMalformed:
		problem = queryProblem("int_parsing", p.name, "Input should be a valid integer, unable to parse string as an integer", raw)
	case state == intOversize:
		problem = queryProblem("int_parsing_size", p.name, "Unable to parse input string as an integer, exceeded maximum size", raw)
	case !p.unbounded && (n < p.min || state == intBelow):
		bound := strconv.FormatInt(p.min, 10)
		problem = queryProblem("greater_than_equal", p.name, "Input should be greater than or equal to "+bound, raw)
		problem.Ctx = document(`{"ge":` + bound + `}`)
	case !p.unbounded && p.max >= p.min && (n > p.max || state == intAbove):
		bound := strconv.FormatInt(p.max, 10)
		problem = queryProblem("less_than_equal", p.name, "Input should be less than or equal to "+bound, raw)
		problem.Ctx = document(`{"le":` + bound + `}`)
	default:
		v.ints[p.name] = n
		v.huge[p.name] = state == intAbove || state == intBelow
		return nil
	}
	return &problem
}

func queryProblem(kind, name, msg, input string) fieldProblem {
	return fieldProblem{Type: kind, Loc: []string{"query", name}, Msg: msg, Input: stringDocument(input)}
}

// intState says how an integer came out.
type intState int

const (
	intExact     intState = iota
	intMalformed          // not an integer
	intOversize           // more digits than are read at all
	intBelow              // below the 64-bit range; the value is its end
	intAbove              // above the 64-bit range; the value is its end
)

// maxIntDigits is the most digits of an integer that are read.
const maxIntDigits = 4300

// lenientInt reads an integer as v1 does: surrounding blanks, a sign, single
// underscores between digits, leading zeros and an all-zero fraction are fine.
func lenientInt(raw string) (int64, intState) {
	s := strings.TrimSpace(raw)
	if i := strings.IndexByte(s, '.'); i >= 0 {
		if strings.Trim(s[i+1:], "0") != "" {
			return 0, intMalformed
		}
		s = s[:i]
	}
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if s == "" || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") {
		return 0, intMalformed
	}
	digits := strings.ReplaceAll(s, "_", "")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, intMalformed
		}
	}
	if len(digits) > maxIntDigits {
		return 0, intOversize
	}
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err == nil:
		return n, intExact
	case negative:
		return math.MinInt64, intBelow
	default:
		return math.MaxInt64, intAbove
	}
}

// lenientBool reads the spellings of v1, in any case.
func lenientBool(raw string) (value, ok bool) {
	switch strings.ToLower(raw) {
	case "1", "true", "t", "yes", "y", "on":
		return true, true
	case "0", "false", "f", "no", "n", "off":
		return false, true
	}
	return false, false
}
