package studio

import (
	"net/http"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"podium.local/session"
)

// usageSum is one day, project or model.
type usageSum struct {
	Key       *string `json:"key" doc:"Day as 2006-01-02, project or model; null for sessions without one."`
	Sessions  int64   `json:"sessions" doc:"Sessions started."`
	PricedUSD number  `json:"priced_usd" doc:"Spend of the requests with a known price."`
	PricedN   int64   `json:"priced_n"`
	UnpricedN int64   `json:"unpriced_n" doc:"Requests without a known price; their cost is unknown, not 0."`
}

// usageBody is GET /api/usage.
type usageBody struct {
	By     string     `json:"by" enum:"day,project,model"`
	Days   int64      `json:"days"`
	TZ     string     `json:"tz"`
	Since  number     `json:"since"`
	Until  number     `json:"until"`
	Basis  string     `json:"basis" enum:"usage,last_activity" doc:"last_activity: sessions count whole on the day they were last active."`
	AsOf   number     `json:"as_of"`
	Capped bool       `json:"capped" doc:"Not all sessions were read: every sum is a lower bound."`
	Groups []usageSum `json:"groups" nullable:"false"`
}

var usageParams = params{strict: true, list: []param{
	{name: "days", kind: intParam, def: 30, min: 1, max: 366, doc: "Days up to and including today."},
	{name: "tz", kind: stringParam, defText: "UTC", doc: "IANA zone in which days begin."},
	{name: "by", kind: stringParam, defText: "day", words: []string{"day", "project", "model"}, doc: "What is summed up."},
}}

// getUsage answers GET /api/usage.
func (s *Server) getUsage(r *request) (any, error) {
	q := session.UsageQuery{By: session.UsageByDay, Zone: time.UTC, Until: s.now()}
	if word, given := r.values.str("by"); given {
		q.By = session.UsageBy(word)
	}
	switch q.By {
	case session.UsageByDay, session.UsageByProject, session.UsageByModel:
	default:
		return nil, failf(http.StatusUnprocessableEntity, "by must be one of: day, project, model")
	}
	zone := "UTC"
	if name, given := r.values.str("tz"); given {
		zone = name
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return nil, failf(http.StatusUnprocessableEntity, "tz must be a zone of the IANA database, for example Europe/Berlin")
	}
	q.Zone = loc
	days := r.values.ints["days"]
	today := q.Until.In(loc)
	first := today.Day() - int(days) + 1
	q.Since = time.Date(today.Year(), today.Month(), first, 0, 0, 0, 0, loc)
	// A midnight that clocks skip is taken for one on the day before.
	if noon := time.Date(today.Year(), today.Month(), first, 12, 0, 0, 0, loc); q.Since.Day() != noon.Day() {
		q.Since, _ = noon.ZoneBounds()
	}
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	found, err := s.cfg.Sources.Usage.UsageSince(r.Context(), q)
	if err != nil {
		return nil, err
	}
	body := usageBody{
		By: string(q.By), Days: days, TZ: zone, Since: number(session.UnixSeconds(q.Since)), Until: number(session.UnixSeconds(q.Until)),
		Basis: "usage", AsOf: number(session.UnixSeconds(q.Until)), Capped: found.Capped, Groups: make([]usageSum, 0, len(found.Groups)),
	}
	if found.ByActivity {
		body.Basis = "last_activity"
	}
	if !found.AsOf.IsZero() {
		body.AsOf = number(session.UnixSeconds(found.AsOf))
	}
	for _, g := range found.Groups {
		body.Groups = append(body.Groups, usageSum{Key: g.Key, Sessions: g.Sessions, PricedUSD: number(g.PricedUSD), PricedN: g.Priced, UnpricedN: g.Unpriced})
	}
	return body, nil
}
