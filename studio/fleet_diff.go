package studio

import (
	"bytes"
	"encoding/json"
)

// encoded is a fleet with every pod and run as its JSON, so that two of them
// can be compared and the unchanged parts written again.
type encoded struct {
	asOf            number
	pods            parts
	runs            parts
	truncated       bool
	failedTruncated bool
}

// parts are encoded members by id, in order.
type parts struct {
	ids  []string
	json map[string]json.RawMessage
}

// encodeFleet encodes the members one by one.
func encodeFleet(b *fleetBody) (e encoded, err error) {
	e = encoded{asOf: b.AsOf, truncated: b.Truncated, failedTruncated: b.FailedTruncated}
	e.pods, err = encodeParts(b.Pods, func(p *fleetPod) string { return p.Name })
	if err == nil {
		e.runs, err = encodeParts(b.Runs, func(r *fleetRun) string { return r.ID })
	}
	return e, err
}

func encodeParts[T any](list []T, id func(*T) string) (p parts, err error) {
	p = parts{ids: make([]string, 0, len(list)), json: make(map[string]json.RawMessage, len(list))}
	for i := range list {
		name := id(&list[i])
		if _, twice := p.json[name]; twice {
			continue
		}
		if p.json[name], err = encode(&list[i]); err != nil {
			return parts{}, err
		}
		p.ids = append(p.ids, name)
	}
	return p, nil
}

// list are all members in order.
func (p *parts) list() []json.RawMessage {
	out := make([]json.RawMessage, 0, len(p.ids))
	for _, id := range p.ids {
		out = append(out, p.json[id])
	}
	return out
}

// since are the members that are new or other than before, and the ids of those
// that are gone.
func (p *parts) since(before *parts) (changed []json.RawMessage, gone []string) {
	changed, gone = []json.RawMessage{}, []string{}
	for _, id := range p.ids {
		if !bytes.Equal(p.json[id], before.json[id]) {
			changed = append(changed, p.json[id])
		}
	}
	for _, id := range before.ids {
		if _, still := p.json[id]; !still {
			gone = append(gone, id)
		}
	}
	return changed, gone
}

// fleetReset is the frame that replaces everything a client knows.
type fleetReset struct {
	Type            string            `json:"type"`
	AsOf            number            `json:"as_of"`
	Pods            []json.RawMessage `json:"pods"`
	Runs            []json.RawMessage `json:"runs"`
	Truncated       bool              `json:"truncated"`
	FailedTruncated bool              `json:"failed_truncated"`
}

// reset is the frame of the whole fleet.
func (e *encoded) reset() ([]byte, error) {
	return encode(fleetReset{Type: "reset", AsOf: e.asOf, Pods: e.pods.list(), Runs: e.runs.list(), Truncated: e.truncated, FailedTruncated: e.failedTruncated})
}

// fleetChange is the frame of what changed.
type fleetChange struct {
	Type            string            `json:"type"`
	AsOf            number            `json:"as_of"`
	Pods            []json.RawMessage `json:"pods"`
	Runs            []json.RawMessage `json:"runs"`
	GonePods        []string          `json:"gone_pods"`
	GoneRuns        []string          `json:"gone_runs"`
	Truncated       bool              `json:"truncated"`
	FailedTruncated bool              `json:"failed_truncated"`
}

// change is the frame that leads from before to e; nil when there is nothing to
// say.
func (e *encoded) change(before *encoded) ([]byte, error) {
	c := fleetChange{Type: "change", AsOf: e.asOf, Truncated: e.truncated, FailedTruncated: e.failedTruncated}
	c.Pods, c.GonePods = e.pods.since(&before.pods)
	c.Runs, c.GoneRuns = e.runs.since(&before.runs)
	if len(c.Pods)+len(c.Runs)+len(c.GonePods)+len(c.GoneRuns) == 0 && e.truncated == before.truncated && e.failedTruncated == before.failedTruncated {
		return nil, nil
	}
	return encode(c)
}
