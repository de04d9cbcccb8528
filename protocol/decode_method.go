package protocol

import "strings"

// methodTags is the list shown for an unknown tag, base vocabulary first.
var methodTags = []string{
	MethodRun, MethodNotify, MethodPodEvent, MethodResume, MethodCancel, MethodPause, MethodShutdown,
	MethodGetHistory, MethodHello, MethodGetEntries, MethodCompact,
}

// maxRequestID is the most bytes of a request id.
const maxRequestID = 64

// DecodeMethod reads one line, with or without its line break, strictly: an
// unknown tag or word, a missing field, a wrong type, a repeated key, text
// that is not valid UTF-8, a lone surrogate, nesting beyond 128 or anything
// after the object is a *DecodeError. Unknown keys are ignored. The result
// shares no memory with line. With an error it holds the request id alone, if
// the line has a well-formed one, so that the answer can carry it back.
func DecodeMethod(line []byte) (Method, error) {
	e, derr := openEnvelope(line, "method", "params")
	if derr != nil {
		return Method{}, derr
	}
	id, idErr := decodeRequestID(&e)
	params, derr := decodeParams(&e)
	switch {
	case derr != nil:
		return Method{RequestID: id}, derr
	case idErr != nil:
		return Method{}, idErr
	}
	return Method{Params: params, RequestID: id}, nil
}

func decodeRequestID(e *envelope) (string, *DecodeError) {
	v := e.requestID
	if v == nil || v.Kind() == 'n' {
		return "", nil
	}
	if v.Kind() != '"' {
		return "", &DecodeError{Tag: e.tag, Field: "request_id", Reason: ReasonNotString}
	}
	id := unquote(v)
	if len(id) == 0 || len(id) > maxRequestID {
		return "", &DecodeError{Tag: e.tag, Field: "request_id", Reason: ReasonLength, Detail: "1 to 64 bytes"}
	}
	return id, nil
}

// decodeParams reads the content that belongs to the tag.
func decodeParams(e *envelope) (MethodParams, *DecodeError) {
	switch e.tag {
	case MethodResume:
		return Resume{}, e.noContent()
	case MethodCancel:
		return Cancel{}, e.noContent()
	case MethodPause:
		return Pause{}, e.noContent()
	case MethodShutdown:
		return Shutdown{}, e.noContent()
	case MethodGetHistory:
		return GetHistory{}, e.noContent()
	case MethodCompact:
		return Compact{}, e.noContent()
	}
	var read func(*fields) MethodParams
	switch e.tag {
	case MethodRun:
		read = func(f *fields) MethodParams { return Run{Input: f.text("input")} }
	case MethodNotify:
		read = func(f *fields) MethodParams { return Notify{Message: f.text("message")} }
	case MethodPodEvent:
		read = decodePodEvent
	case MethodHello:
		read = decodeHello
	case MethodGetEntries:
		read = func(f *fields) MethodParams {
			return GetEntries{Before: f.nullableText("before"), Limit: f.nullableUint("limit")}
		}
	default:
		return nil, &DecodeError{
			Field: "tag", Reason: ReasonUnknown,
			Detail: quoted(e.tag) + ", expected one of " + strings.Join(methodTags, ", "),
		}
	}
	f, err := e.fields()
	if err != nil {
		return nil, err
	}
	params := read(f)
	return params, f.err
}

// decodeHello reads only the version of a hello in a version this build does
// not know, so that a pod can answer unsupported_version instead of calling
// the line invalid.
func decodeHello(f *fields) MethodParams {
	h := Hello{ProtocolVersion: f.uint("protocol_version")}
	if f.err != nil || h.ProtocolVersion != ProtocolVersion {
		return h
	}
	h.Client = f.text("client")
	if v := f.optional("pod_id"); v != nil {
		id := PodID(f.toUUID("pod_id", v))
		h.PodID = &id
	}
	h.Since = f.nullableUint("since")
	h.Tail = f.nullableUint("tail")
	return h
}

func decodePodEvent(f *fields) MethodParams {
	p := PodEvent{Kind: PodEventKind(f.text("kind"))}
	if f.err != nil {
		return p
	}
	switch p.Kind {
	case PodEventTurnEnded, PodEventShutDown:
		p.PodName = f.text("pod_name")
	case PodEventErrored:
		p.PodName = f.text("pod_name")
		p.Message = f.text("message")
	case PodEventScopeSubDelegated:
		p.ParentPod = f.text("parent_pod")
		p.SubPod = f.text("sub_pod")
		p.SubSocket = f.text("sub_socket")
		p.Scope = []ScopeRule{}
		f.objects("scope", func(r *fields) { p.Scope = append(p.Scope, decodeScopeRule(r)) })
	default:
		f.fail("kind", ReasonUnknown, quoted(string(p.Kind))+
			", expected turn_ended, errored, shut_down or scope_sub_delegated")
	}
	return p
}

func decodeScopeRule(f *fields) ScopeRule {
	r := ScopeRule{Target: f.text("target"), Permission: Permission(f.text("permission")), Recursive: true}
	if f.err == nil && r.Permission != PermissionRead && r.Permission != PermissionWrite {
		f.fail("permission", ReasonUnknown, quoted(string(r.Permission))+", expected read or write")
	}
	if v := f.get("recursive"); v != nil {
		r.Recursive = f.toBool("recursive", v)
	}
	return r
}
