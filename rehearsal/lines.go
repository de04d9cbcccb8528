package rehearsal

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lineIndex knows where the settings of a script stand, by path
// (reply[2].fault.status), so that what is wrong with a value that TOML itself
// takes can be told with its line too.
type lineIndex map[string]int

// line is where path stands, else where the nearest thing around it does.
func (x lineIndex) line(path string) int {
	for path != "" {
		if n, ok := x[path]; ok {
			return n
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1
}

// indexLines reads a document that was decoded before, so it is valid.
func indexLines(data []byte) lineIndex {
	x := lineIndex{}
	counts := map[string]int{} // of the tables in an array, by the array's path
	table := ""
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = ""
			line := 0
			for it := e.Key(); it.Next(); {
				key := it.Node()
				line = p.Shape(key.Raw).Start.Line
				table = under(table, string(key.Data))
				if it.IsLast() && e.Kind == unstable.ArrayTable {
					counts[table]++
				}
				if n := counts[table]; n > 0 {
					table = fmt.Sprintf("%s[%d]", table, n-1)
				}
			}
			x.put(table, line)
		case unstable.KeyValue:
			x.keyValue(&p, table, e)
		}
	}
	return x
}

func under(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

func (x lineIndex) put(path string, line int) {
	if _, ok := x[path]; !ok {
		x[path] = line
	}
}

// keyValue indexes one setting and what its value holds.
func (x lineIndex) keyValue(p *unstable.Parser, table string, e *unstable.Node) {
	path, line := table, 1
	for it := e.Key(); it.Next(); {
		path = under(path, string(it.Node().Data))
		line = p.Shape(it.Node().Raw).Start.Line
		x.put(path, line)
	}
	x.value(p, path, e.Value())
}

func (x lineIndex) value(p *unstable.Parser, path string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			x.keyValue(p, path, it.Node())
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); i++ {
			x.value(p, fmt.Sprintf("%s[%d]", path, i), it.Node())
		}
	}
}
