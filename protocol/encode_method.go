package protocol

import "fmt"

// ProtocolVersion is the version of the extended vocabulary that this package
// speaks.
const ProtocolVersion = 1

// Append appends the method's canonical line, without a line break. Errors are
// *EncodeError: no params, a request id over 64 bytes, an unknown kind or
// permission, a path that is not UTF-8. On an error dst comes back as it was.
func (m Method) Append(dst []byte) ([]byte, error) {
	if m.Params == nil {
		return dst, &EncodeError{Field: "params", What: "are nil"}
	}
	e := encoder{dst: dst, tag: m.Params.MethodName()}
	e.params(m.Params)
	if m.RequestID != "" {
		if len(m.RequestID) > maxRequestID {
			e.fail("request_id", "is longer than 64 bytes")
		}
		e.exact(`,"request_id":`, "request_id", m.RequestID)
	}
	if e.err != nil {
		return dst, e.err
	}
	return append(e.dst, '}'), nil
}

func (e *encoder) params(params MethodParams) {
	switch p := params.(type) {
	case Run:
		e.text(`{"method":"run","params":{"input":`, p.Input)
		e.raw("}")
	case Notify:
		e.text(`{"method":"notify","params":{"message":`, p.Message)
		e.raw("}")
	case PodEvent:
		e.podEvent(p)
	case Resume, Cancel, Pause, Shutdown, GetHistory, Compact:
		e.raw(`{"method":"`)
		e.raw(params.MethodName())
		e.raw(`"`)
	case Hello:
		e.uint(`{"method":"hello","params":{"protocol_version":`, p.ProtocolVersion)
		e.text(`,"client":`, p.Client)
		if p.PodID == nil {
			e.null(`,"pod_id":`)
		} else {
			e.text(`,"pod_id":`, p.PodID.String())
		}
		e.nullableUint(`,"since":`, p.Since)
		e.nullableUint(`,"tail":`, p.Tail)
		e.raw("}")
	case GetEntries:
		e.nullableText(`{"method":"get_entries","params":{"before":`, p.Before)
		e.nullableUint(`,"limit":`, p.Limit)
		e.raw("}")
	default:
		e.fail("params", fmt.Sprintf("have no codec: %T", params))
	}
}

func (e *encoder) podEvent(p PodEvent) {
	e.text(`{"method":"pod_event","params":{"kind":`, string(p.Kind))
	switch p.Kind {
	case PodEventTurnEnded, PodEventShutDown:
		e.text(`,"pod_name":`, p.PodName)
	case PodEventErrored:
		e.text(`,"pod_name":`, p.PodName)
		e.text(`,"message":`, p.Message)
	case PodEventScopeSubDelegated:
		e.text(`,"parent_pod":`, p.ParentPod)
		e.text(`,"sub_pod":`, p.SubPod)
		e.exact(`,"sub_socket":`, "sub_socket", p.SubSocket)
		e.raw(`,"scope":[`)
		for i, rule := range p.Scope {
			e.raw(separator(i))
			e.scopeRule(rule)
		}
		e.raw("]")
	default:
		e.fail("kind", "is unknown: "+quoted(string(p.Kind)))
	}
	e.raw("}")
}

func (e *encoder) scopeRule(r ScopeRule) {
	if r.Permission != PermissionRead && r.Permission != PermissionWrite {
		e.fail("permission", "is unknown: "+quoted(string(r.Permission)))
	}
	e.exact(`{"target":`, "target", r.Target)
	e.text(`,"permission":`, string(r.Permission))
	e.bool(`,"recursive":`, r.Recursive)
	e.raw("}")
}
