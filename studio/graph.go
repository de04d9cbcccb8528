package studio

import (
	"strings"
)

// graphOf makes the graph of an orchestration from the metadata: a compiled
// one as it is, else one node an operation with the agent that does it. Null
// when the metadata holds neither.
func graphOf(metadata document) document {
	early, _ := metadata.member("early_graph")
	if nodes, ok := early.member("nodes"); ok && !nodes.blank() {
		return early
	}
	list, _ := metadata.member("operations")
	operations := list.elements()
	agents := agentsByID(metadata)
	var nodes, edges []document
	for _, op := range operations {
		id, ok := op.member("id")
		if !ok {
			continue
		}
		agentID, _ := op.member("agent_id")
		agent := agents[agentID]
		inputs, _ := op.member("depends_on")
		if !strings.HasPrefix(string(inputs), "[") {
			inputs = "[]"
		}
		nodes = append(nodes, object(
			"id", id, "label", id, "role", memberOr(agent, "name", `""`), "assignment", memberOr(agent, "model", `""`),
			"prompt", `""`, "capacity", "1", "timeout", "null", "inputs", inputs, "outputs", "[]"))
		for _, dep := range inputs.elements() {
			edges = append(edges, object(
				"id", stringDocument("e-"+plain(dep)+"-"+plain(id)), "source", dep, "target", id, "mode", `"simple"`))
		}
	}
	if nodes == nil {
		return ""
	}
	return object("nodes", listDocument(nodes), "edges", listDocument(edges))
}

// agentsByID maps the JSON text of an id to the agent.
func agentsByID(metadata document) map[document]document {
	list, _ := metadata.member("agents")
	agents := make(map[document]document)
	for _, a := range list.elements() {
		if id, ok := a.member("id"); ok {
			agents[id] = a
		}
	}
	return agents
}

func memberOr(d document, name string, fallback document) document {
	if v, ok := d.member(name); ok {
		return v
	}
	return fallback
}

// plain is a value inside a text: strings without their quotes.
func plain(d document) string {
	if s, ok := d.text(); ok {
		return s
	}
	return string(d)
}

// object joins names and JSON values, given in turn, to an object.
func object(first string, rest ...document) document {
	var out strings.Builder
	out.WriteString(`{"` + first + `":`)
	for i, part := range rest {
		switch {
		case i%2 == 0 && part == "":
			out.WriteString("null")
		case i%2 == 0:
			out.WriteString(string(part))
		default:
			out.WriteString(`,"` + string(part) + `":`)
		}
	}
	out.WriteByte('}')
	return document(out.String())
}
