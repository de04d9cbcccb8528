package protocol_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// model is the vocabulary as the source declares it: what docs/protocol.md and
// the schemas are generated from.
type model struct {
	methods, events []message // in the order of their tags
	types           map[string]*typeModel
	typeOrder       []string
}

// message is one method or event.
type message struct {
	tag, typeName string
	extended      bool
}

// typeModel is a struct of the wire or a type of words.
type typeModel struct {
	name, comment string
	fields        []fieldModel
	words         []string
}

// fieldModel is one key.
type fieldModel struct {
	goName, goType, key, comment                   string
	optional, nullable, extended, inline, defaults bool
	when                                           []string // kinds that have it
	of                                             string   // what raw JSON holds
	owner                                          string   // the type that declares it
}

func readModel(t testing.TB) *model {
	t.Helper()
	m := &model{types: map[string]*typeModel{}}
	constants := map[string]string{}
	tags := map[string]string{} // type name → name of the constant
	var order []string
	fset := token.NewFileSet()
	for _, file := range sourceFiles(t) {
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				m.readTypes(d)
				order = append(order, m.readConstants(t, d, constants)...)
			case *ast.FuncDecl:
				if name, receiver := d.Name.Name, receiverName(d); name == "EventName" || name == "MethodName" {
					if id, ok := d.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.Ident); ok {
						tags[id.Name] = receiver
					}
				}
			}
		}
	}
	for _, name := range order {
		message := message{tag: constants[name], typeName: tags[name]}
		switch {
		case message.typeName == "":
		case strings.HasPrefix(name, "Method"):
			message.extended = !slices.Contains(baseMethodTags, message.tag)
			m.methods = append(m.methods, message)
		case strings.HasPrefix(name, "Event"):
			message.extended = !slices.Contains(baseTags, message.tag)
			m.events = append(m.events, message)
		}
	}
	return m
}

var baseMethodTags = []string{"run", "notify", "pod_event", "resume", "cancel", "pause", "shutdown", "get_history"}

func sourceFiles(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return files
}

func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	id, _ := d.Recv.List[0].Type.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func (m *model) readTypes(d *ast.GenDecl) {
	if d.Tok != token.TYPE {
		return
	}
	for _, spec := range d.Specs {
		s := spec.(*ast.TypeSpec)
		t := &typeModel{name: s.Name.Name, comment: d.Doc.Text()}
		switch under := s.Type.(type) {
		case *ast.StructType:
			for _, f := range under.Fields.List {
				if f.Tag != nil {
					field := readField(f)
					field.owner = t.name
					t.fields = append(t.fields, field)
				}
			}
		case *ast.Ident:
			if under.Name != "string" {
				continue
			}
		default:
			continue
		}
		m.types[t.name] = t
		m.typeOrder = append(m.typeOrder, t.name)
	}
}

func readField(f *ast.Field) fieldModel {
	tag, _ := strconv.Unquote(f.Tag.Value)
	options := strings.Split(reflect.StructTag(tag).Get("wire"), ",")
	field := fieldModel{goName: f.Names[0].Name, goType: typeText(f.Type), key: options[0], comment: f.Doc.Text()}
	for _, option := range options[1:] {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "optional":
			field.optional = true
		case "nullable":
			field.nullable = true
		case "extended":
			field.extended = true
		case "inline":
			field.inline = true
		case "default":
			field.defaults = true
		case "when":
			field.when = strings.Split(value, "|")
		case "of":
			field.of = value
		default:
			panic("unknown option in a wire tag: " + option)
		}
	}
	return field
}

func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	default:
		return "?"
	}
}

// readConstants collects words for their types and gives the names of the
// untyped constants.
func (m *model) readConstants(t testing.TB, d *ast.GenDecl, constants map[string]string) (order []string) {
	t.Helper()
	if d.Tok != token.CONST {
		return nil
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		literal, ok := v.Values[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		if v.Type == nil {
			constants[v.Names[0].Name] = value
			order = append(order, v.Names[0].Name)
			continue
		}
		if owner := m.types[typeText(v.Type)]; owner != nil {
			owner.words = append(owner.words, value)
		}
	}
	return order
}

// allFields are a type's fields with inlined ones in their place.
func (m *model) allFields(t *typeModel) []fieldModel {
	var all []fieldModel
	for _, f := range t.fields {
		inner := m.types[strings.TrimPrefix(f.goType, "*")]
		if !f.inline || inner == nil {
			all = append(all, f)
			continue
		}
		for _, g := range m.allFields(inner) {
			g.optional = g.optional || f.optional
			all = append(all, g)
		}
	}
	return all
}

var (
	identifier = regexp.MustCompile(`\b[A-Z][A-Za-z]*\b`)
	wireWord   = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)
)

// prose is a comment for a reader of the wire: Go names of methods, events and
// fields become their tags and keys, comment markup becomes Markdown.
func (m *model) prose(text string, t *typeModel) string {
	text = strings.ReplaceAll(text, "seed 000", "design record 000")
	text = wireWord.ReplaceAllString(text, "`$0`")
	parsed := new(comment.Parser).Parse(identifier.ReplaceAllStringFunc(text, func(name string) string {
		for _, f := range m.allFields(t) {
			if f.goName == name {
				return "`" + f.key + "`"
			}
		}
		for _, list := range [][]message{m.methods, m.events} {
			for _, message := range list {
				if message.typeName == name {
					return "`" + message.tag + "`"
				}
			}
		}
		for _, i := range itemTypes {
			if i.typeName == name {
				return "`" + i.word + "`"
			}
		}
		return name
	}))
	var paragraphs []string
	for _, block := range parsed.Content {
		if p, ok := block.(*comment.Paragraph); ok {
			var b strings.Builder
			for _, piece := range p.Text {
				if plain, ok := piece.(comment.Plain); ok {
					b.WriteString(string(plain))
				}
			}
			paragraphs = append(paragraphs, strings.Join(strings.Fields(b.String()), " "))
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func TestModel_EveryMessageAndFieldHasItsContractAndItsKey(t *testing.T) {
	m := readModel(t)
	if len(m.methods) != 11 || len(m.events) != 25 {
		t.Fatalf("%d methods and %d events are bound to a tag, want 11 and 25", len(m.methods), len(m.events))
	}
	contract := regexp.MustCompile(`\b(Durable|Passing): `)
	once := regexp.MustCompile(`\b(once|many|whenever|on every)\b`)
	whom := regexp.MustCompile(`\b(to everybody|client alone|sender alone|to every extended client)\b`)
	for _, e := range m.events {
		text := strings.Join(strings.Fields(m.types[e.typeName].comment), " ")
		for what, pattern := range map[string]*regexp.Regexp{"whether it is durable": contract, "how often": once, "to whom": whom} {
			if e.tag == "error" && pattern == once {
				continue // a rejection comes as often as there is something to reject
			}
			if !pattern.MatchString(text) {
				t.Errorf("the comment of %s does not say %s (%v)", e.typeName, what, pattern)
			}
		}
	}
	for _, name := range m.typeOrder {
		for _, f := range m.types[name].fields {
			if f.key == "" && !f.inline {
				t.Errorf("%s.%s has no key", name, f.goName)
			}
			if f.comment == "" {
				t.Errorf("%s.%s has no comment", name, f.goName)
			}
		}
	}
}
