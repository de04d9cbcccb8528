package studio

import (
	"context"
	"errors"
	"net/http"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/session"
)

// podCallLimit is how long a pod may take to accept a method. It may act on the
// method all the same when that time is over.
const podCallLimit = 5 * time.Second

// maxRequestID is the longest request id, in bytes.
const maxRequestID = 64

// Bodies of the pod methods: the protocol's own parameter names, and the id
// under which run and notify may be repeated.
type (
	podRunBody struct {
		Input     string `json:"input" doc:"The text that the pod should work on."`
		RequestID string `json:"request_id,omitempty" required:"false" maxLength:"64" doc:"Names the request: a pod accepts one id once, so that a request without an answer can be repeated."`
	}
	podNotifyBody struct {
		Message   string `json:"message" doc:"A text for the model that is no request."`
		RequestID string `json:"request_id,omitempty" required:"false" maxLength:"64" doc:"As for run."`
	}
	podPlainBody struct {
		RequestID string `json:"request_id,omitempty" required:"false" maxLength:"64" doc:"Comes back in the answer."`
	}
)

// acceptedBody says that a pod accepted a method.
type acceptedBody struct {
	RequestID string `json:"request_id"`
}

// podRefusal is the pod's own answer.
type podRefusal struct {
	Code    string `json:"code" doc:"The pod's word: already_running, not_running, not_paused, internal."`
	Message string `json:"message"`
}

// podRefusalBody is the 409 of a pod that refuses a method in its state.
type podRefusalBody struct {
	Detail podRefusal `json:"detail"`
}

// podMethod is one method that the page may hand to a pod: the text parameter
// that it takes, empty for none, and the method made of it.
type podMethod struct {
	name, text, id, doc string
	body                any
	make                func(text string) protocol.MethodParams
}

var podMethods = []podMethod{
	{protocol.MethodRun, "input", "runPod", "Gives an idle or paused pod an input.", podRunBody{},
		func(text string) protocol.MethodParams { return protocol.Run{Input: text} }},
	{protocol.MethodNotify, "message", "notifyPod", "Leaves a pod a note; an idle one starts a run for it.", podNotifyBody{},
		func(text string) protocol.MethodParams { return protocol.Notify{Message: text} }},
	{protocol.MethodPause, "", "pausePod", "Stops a run so that it can be resumed.", podPlainBody{},
		func(string) protocol.MethodParams { return protocol.Pause{} }},
	{protocol.MethodResume, "", "resumePod", "Goes on with a paused run.", podPlainBody{},
		func(string) protocol.MethodParams { return protocol.Resume{} }},
	{protocol.MethodCancel, "", "cancelPod", "Ends a run, or discards a paused one.", podPlainBody{},
		func(string) protocol.MethodParams { return protocol.Cancel{} }},
	{protocol.MethodCompact, "", "compactPod", "Summarises the conversation now and goes on in a new session.", podPlainBody{},
		func(string) protocol.MethodParams { return protocol.Compact{} }},
}

// callPod answers POST /api/pods/{name}/… once the pod accepted the method.
func (s *Server) callPod(r *request, m *podMethod) (any, error) {
	b, err := r.bodyObject()
	if err != nil {
		return nil, err
	}
	text, requestID, err := m.parse(b)
	if err != nil {
		return nil, err
	}
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	name := r.PathValue("name")
	pod, err := s.cfg.Sources.Fleet.LivePod(r.Context(), name)
	if errors.Is(err, session.ErrNotFound) {
		return nil, noPod(name)
	}
	if err != nil {
		return nil, err
	}
	if requestID == "" {
		requestID = protocol.NewEntryID()
	}
	ctx, cancel := context.WithTimeout(r.Context(), podCallLimit)
	defer cancel()
	err = s.cfg.Pods.Call(ctx, pod, protocol.Method{Params: m.make(text), RequestID: requestID})
	answer, outcome := podAnswer(r.Context(), name, err)
	s.metrics.podCalls.WithLabelValues(m.name, outcome).Inc()
	if answer != nil {
		return nil, answer
	}
	return acceptedBody{RequestID: requestID}, nil
}

// podAnswer turns how a call ended into what the page sees, nil for accepted,
// and a word for the metrics.
func podAnswer(ctx context.Context, name string, err error) (answer *problem, outcome string) {
	var refused *client.PodError
	switch {
	case err == nil:
		return nil, "accepted"
	case errors.As(err, &refused):
		return &problem{status: http.StatusConflict, detail: podRefusal{Code: string(refused.Code), Message: refused.Message}}, "refused"
	case errors.Is(err, client.ErrBaseOnly):
		return &problem{status: http.StatusConflict, detail: podRefusal{
			Code: string(protocol.CodeUnsupportedVersion), Message: "this pod confirms nothing; use podium send and its like",
		}}, "refused"
	case errors.Is(err, client.ErrNotRunning):
		return noPod(name), "absent"
	case ctx.Err() != nil:
		return &problem{status: clientGone, cause: err}, "gone"
	default:
		return &problem{
			status: http.StatusServiceUnavailable, retryAfter: 1, cause: err,
			detail: "The pod does not answer. It may still act on the request: repeat it with the same request_id.",
		}, "silent"
	}
}

// parse reads the body of a method strictly.
func (m *podMethod) parse(b *body) (text, requestID string, err error) {
	if m.text != "" {
		if text, err = b.requiredText(m.text); err != nil {
			return "", "", err
		}
	}
	if _, given := b.doc.member("request_id"); given {
		if requestID, err = b.requiredText("request_id"); err != nil {
			return "", "", err
		}
		if requestID == "" || len(requestID) > maxRequestID {
			return "", "", failf(http.StatusUnprocessableEntity, "request_id must have 1 to 64 bytes")
		}
	}
	for _, name := range b.doc.names() {
		if name != "request_id" && (name != m.text || m.text == "") {
			value, _ := b.doc.member(name)
			return "", "", bodyProblem("extra_forbidden", []string{name}, "Extra inputs are not permitted", value, "")
		}
	}
	return text, requestID, nil
}

// podRoutes reach pods and need a bearer always.
func (s *Server) podRoutes() []route {
	routes := []route{
		{
			method: http.MethodGet, path: "/api/pods", id: "listPods", area: "fleet", store: true, access: tokenAccess,
			doc: "What goes on: every pod that has not ended, and the sessions that run or failed lately.", response: fleetBody{}, handle: s.getPods,
		},
		{
			method: http.MethodGet, path: "/api/fleet/stream", id: "streamFleet", area: "fleet", store: true, access: tokenAccess,
			doc:   "The same as server-sent events: a reset with everything, then changes. Last-Event-ID resumes.",
			media: "text/event-stream", stream: s.streamFleet,
		},
	}
	for i := range podMethods {
		m := &podMethods[i]
		routes = append(routes, route{
			method: http.MethodPost, path: "/api/pods/{name}/" + m.name, id: m.id, area: "fleet", store: true, access: tokenAccess,
			doc: m.doc, body: m.body, response: acceptedBody{}, status: http.StatusAccepted, list: true,
			errors: []int{http.StatusNotFound}, conflict: podRefusalBody{},
			handle: func(r *request) (any, error) { return s.callPod(r, m) },
		})
	}
	return routes
}

// unreached stands in for pods where none can be reached: what the store says
// has to do.
type unreached struct{}

func (unreached) Look(_ context.Context, pod session.Pod) PodLook {
	return PodLook{State: protocol.PodState(pod.Phase)}
}

func (u unreached) Follow(ctx context.Context, pod session.Pod, report func(PodLook)) {
	report(u.Look(ctx, pod))
	<-ctx.Done()
}

func (unreached) Call(context.Context, session.Pod, protocol.Method) error {
	return client.ErrNotRunning
}
