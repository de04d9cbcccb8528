package studio

import (
	"errors"
	"net/http"

	"podium.local/session"
)

// tagRequest is the body of a new tag.
type tagRequest struct {
	Tag string `json:"tag"`
}

// tagsBody is a session's tags after a change.
type tagsBody struct {
	SessionID string   `json:"session_id"`
	Tags      []string `json:"tags" nullable:"false" doc:"Sorted."`
}

// addTag answers POST /api/sessions/{id}/tags.
func (s *Server) addTag(r *request) (any, error) {
	b, err := r.bodyObject()
	if err != nil {
		return nil, err
	}
	tag, err := b.requiredText("tag")
	if err != nil {
		return nil, err
	}
	if tag = trimBlank(tag); tag == "" {
		return nil, failf(http.StatusUnprocessableEntity, "tag must not be empty")
	}
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	tags, err := s.cfg.Sources.Tags.AddTag(r.Context(), r.id(), tag)
	if err != nil {
		return nil, tagProblem(r, err)
	}
	return tagsBody{SessionID: r.id(), Tags: tags}, nil
}

// removeTag answers DELETE /api/sessions/{id}/tags/{tag}. A tag that is not
// there is fine, and so is a session that is not.
func (s *Server) removeTag(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	tags, err := s.cfg.Sources.Tags.RemoveTag(r.Context(), r.id(), r.PathValue("tag"))
	if err != nil {
		return nil, tagProblem(r, err)
	}
	return tagsBody{SessionID: r.id(), Tags: tags}, nil
}

// tagProblem says how a store becomes one that takes tags: an adopted one does.
func tagProblem(r *request, err error) error {
	if errors.Is(err, session.ErrAdopted) {
		return &problem{
			status: http.StatusConflict, cause: err,
			detail: "This store belongs to lionagi and takes no tags from podium before it is adopted; run `podium store migrate`, then tag again.",
		}
	}
	return sessionProblem(r, err)
}

// maxNameBytes is the longest name a session can be given, in bytes.
const maxNameBytes = 200

// renameRequest is the body of a rename.
type renameRequest struct {
	Name string `json:"name" doc:"1 to 200 bytes."`
}

// renamedBody is a session's name after a change.
type renamedBody struct {
	SessionID string `json:"session_id"`
	Name      string `json:"name" doc:"Display name."`
}

// renameSession answers PATCH /api/sessions/{id}.
func (s *Server) renameSession(r *request) (any, error) {
	b, err := r.bodyObject()
	if err != nil {
		return nil, err
	}
	name, err := b.requiredText("name")
	if err != nil {
		return nil, err
	}
	name = trimBlank(name)
	switch {
	case name == "":
		return nil, failf(http.StatusUnprocessableEntity, "name must not be empty")
	case len(name) > maxNameBytes:
		return nil, failf(http.StatusUnprocessableEntity, "name must have at most 200 bytes")
	}
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	if err := s.cfg.Sources.Edits.RenameSession(r.Context(), r.id(), name); err != nil {
		return nil, sessionProblem(r, err)
	}
	row, err := s.cfg.Sources.Sessions.SessionRow(r.Context(), r.id())
	if err != nil {
		return nil, sessionProblem(r, err)
	}
	return renamedBody{SessionID: r.id(), Name: displayName(&row)}, nil
}

// deleteSession answers DELETE /api/sessions/{id}.
func (s *Server) deleteSession(r *request) (any, error) {
	if err := s.requireFile(r); err != nil {
		return nil, err
	}
	if err := s.cfg.Sources.Edits.DeleteSession(r.Context(), r.id(), s.now()); err != nil {
		return nil, sessionProblem(r, err)
	}
	return nil, nil
}

// sessionProblem names the session that was not found.
func sessionProblem(r *request, err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return failf(http.StatusNotFound, "Session '%s' not found", r.id())
	}
	return err
}
