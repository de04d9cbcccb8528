package studio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// pathVariable finds the variables of a documented path.
var pathVariable = regexp.MustCompile(`\{([a-z]+)\}`)

// openAPI makes the OpenAPI 3.1 document of the routes. Schemas come from the
// Go types that the handlers answer with.
func openAPI(version string, routes []route) ([]byte, error) {
	doc := newDocument("Podium Studio", version,
		"Sessions of long-running agents: listings, detail, streams, usage. Times are Unix seconds with a fraction; a cost of null is unknown, never 0.")
	for i := range routes {
		doc.AddOperation(routes[i].operation(doc.Components.Schemas))
	}
	return writeDocument(doc)
}

// newDocument begins an OpenAPI document.
func newDocument(title, version, description string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: title, Version: version, Description: description},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}},
		},
	}
}

// writeDocument is the text of a document, indented.
func writeDocument(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the document: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("indenting the document: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// operation documents one route.
func (rt *route) operation(registry huma.Registry) *huma.Operation {
	op := &huma.Operation{
		Method: rt.method, Path: rt.path, OperationID: rt.id, Tags: []string{rt.area}, Summary: rt.doc,
		Responses: map[string]*huma.Response{},
	}
	switch rt.access {
	case tokenAccess:
		op.Security = []map[string][]string{{"bearer": {}}}
	case readAccess:
		op.Security = []map[string][]string{{}, {"bearer": {}}}
	}
	for _, m := range pathVariable.FindAllStringSubmatch(rt.path, -1) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	for _, p := range rt.params.list {
		op.Parameters = append(op.Parameters, p.document())
	}
	if rt.body != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemaOf(registry, rt.body)},
		}}
	}
	op.Responses[strconv.Itoa(max(rt.status, http.StatusOK))] = rt.success(registry)
	for _, status := range rt.errors {
		op.Responses[strconv.Itoa(status)] = jsonResponse(registry, http.StatusText(status), errorBody{})
	}
	if rt.conflict != nil {
		op.Responses["409"] = jsonResponse(registry, http.StatusText(http.StatusConflict), rt.conflict)
	}
	if rt.access == tokenAccess {
		op.Responses["401"] = jsonResponse(registry, http.StatusText(http.StatusUnauthorized), errorBody{})
	}
	if rt.list || len(rt.params.list) > 0 {
		op.Responses["422"] = validationResponse(registry)
	}
	if rt.store {
		op.Responses["501"] = jsonResponse(registry, "The configured store is not a local file.", unsupportedBody{})
		op.Responses["503"] = jsonResponse(registry, "The store cannot answer now; see the detail.", errorBody{})
	}
	return op
}

func (rt *route) success(registry huma.Registry) *huma.Response {
	switch {
	case rt.status == http.StatusNoContent:
		return &huma.Response{Description: "Done."}
	case rt.media != "":
		return &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{
			rt.media: {Schema: &huma.Schema{Type: huma.TypeString}},
		}}
	default:
		return jsonResponse(registry, "OK", rt.response)
	}
}

// validationResponse has two arms: all parameter problems as a list, or one
// text from a handler.
func validationResponse(registry huma.Registry) *huma.Response {
	return &huma.Response{Description: "A parameter or the body cannot be used.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{OneOf: []*huma.Schema{
			schemaOf(registry, validationBody{}), schemaOf(registry, errorBody{}),
		}}},
	}}
}

func jsonResponse(registry huma.Registry, description string, value any) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
		"application/json": {Schema: schemaOf(registry, value)},
	}}
}

func schemaOf(registry huma.Registry, value any) *huma.Schema {
	t := reflect.TypeOf(value)
	return registry.Schema(t, true, t.Name())
}

// document is the parameter's entry.
func (p param) document() *huma.Param {
	schema := &huma.Schema{}
	switch p.kind {
	case intParam:
		schema.Type = huma.TypeInteger
		// One below the bound stands for none.
		if p.unbounded || p.def >= p.min {
			schema.Default = p.def
		}
		if !p.unbounded {
			low := float64(p.min)
			schema.Minimum = &low
			if p.max >= p.min {
				high := float64(p.max)
				schema.Maximum = &high
			}
		}
	case boolParam:
		schema.Type = huma.TypeBoolean
		schema.Default = false
	case listParam:
		schema.Type = huma.TypeArray
		schema.Items = &huma.Schema{Type: huma.TypeString}
	default:
		schema.Type = huma.TypeString
		if p.defText != "" {
			schema.Default = p.defText
		}
		for _, word := range p.words {
			schema.Enum = append(schema.Enum, word)
		}
	}
	return &huma.Param{Name: p.name, In: "query", Description: p.doc, Required: p.required, Schema: schema}
}

// withMembersOf adds the members of an embedded type to a schema; the
// generator leaves those of unexported types out.
func withMembersOf(r huma.Registry, s *huma.Schema, embedded any) *huma.Schema {
	base := r.SchemaFromRef(schemaOf(r, embedded).Ref)
	for name, schema := range base.Properties {
		if s.Properties[name] == nil {
			s.Properties[name] = schema
		}
	}
	s.Required = append(append([]string(nil), base.Required...), s.Required...)
	return s
}

// TransformSchema adds the listing's row.
func (runDetail) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withMembersOf(r, s, runRow{})
}

// TransformSchema adds the listing's row.
func (projectDetail) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return withMembersOf(r, s, project{})
}
