package studio

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"podium.local/session"
)

// artifactID is the grammar of ids in an artifact contract.
var artifactID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// listedVerification is the verification a listing shows: what is stored, or
// the plain absence of a verdict. It never touches the file system.
func listedVerification(r *session.Row) document {
	stored := storedDocument(r.ArtifactVerification)
	if !stored.null() {
		if verdict(stored) {
			return stored.withMembers([2]document{`"staleness_check"`, `"unknown"`})
		}
		return stored
	}
	return missingVerdict(r)
}

// checkedVerification is the verification a detail shows: a stored verdict is
// compared with the files it speaks of, and a running session with a contract
// gets the state of its files now, marked as provisional.
func checkedVerification(r *session.Row, f *fence, now time.Time) document {
	stored := storedDocument(r.ArtifactVerification)
	if !stored.null() {
		if !verdict(stored) {
			return stored
		}
		if marks, ok := staleMarks(stored, r.ArtifactsPath, f); ok {
			return stored.withMembers(marks...)
		}
		return stored.withMembers([2]document{`"staleness_check"`, `"unknown"`})
	}
	contract := storedDocument(r.ArtifactContract)
	if contract.blank() || !running(r) {
		return missingVerdict(r)
	}
	return provisionalVerification(contract, r.ArtifactsPath, f, now)
}

// verdict reports whether a stored verification is a recorded verdict.
func verdict(stored document) bool {
	if !stored.object() {
		return false
	}
	status, _ := stored.member("status")
	return status != `"not_recorded"`
}

// missingVerdict names the absence of a verdict on a session that has ended.
func missingVerdict(r *session.Row) document {
	if storedDocument(r.ArtifactContract).blank() || !terminal(statusOf(r)) {
		return ""
	}
	return `{"status":"not_recorded"}`
}

// staleMarks compares the files of a verdict with the disk; ok is false when
// the verdict or the folder does not allow it.
func staleMarks(stored document, dir *string, f *fence) (marks [][2]document, ok bool) {
	at, _ := stored.member("checked_at")
	checkedAt, isNumber := at.float()
	list, has := stored.member("produced")
	if dir == nil || *dir == "" || !isNumber || !has || !strings.HasPrefix(string(list), "[") {
		return nil, false
	}
	root, _, err := f.openRoot(*dir)
	if err != nil {
		return nil, false
	}
	defer root.Close()
	var changed, absent []document
	for _, entry := range list.elements() {
		id, _ := entry.member("id")
		rel, _ := entry.member("path")
		name, isText := rel.text()
		if !isText || id.null() {
			continue
		}
		info, err := statArtifact(root, name)
		if err != nil {
			absent = append(absent, id)
			continue
		}
		size, _ := entry.member("size")
		recorded, hasSize := size.float()
		modified := float64(info.ModTime().UnixNano()) / 1e9
		if modified > checkedAt || hasSize && float64(info.Size()) != recorded {
			changed = append(changed, id)
		}
	}
	return [][2]document{
		{`"staleness_check"`, `"checked"`},
		{`"changed_since_verification"`, listDocument(changed)},
		{`"absent_since_verification"`, listDocument(absent)},
	}, true
}

// provisionalVerification looks for the files of a contract now; null when
// the contract is ill-formed or there is no folder to look in.
func provisionalVerification(contract document, dir *string, f *fence, now time.Time) document {
	expected, ok := contractEntries(contract)
	if !ok || dir == nil || *dir == "" {
		return ""
	}
	root, _, err := f.openRoot(*dir)
	switch {
	case err == nil:
		defer root.Close()
	case errors.Is(err, fs.ErrNotExist):
		root = nil // nothing was produced yet
	default:
		return ""
	}
	var produced, missingRequired, missingOptional []document
	for _, entry := range expected {
		id, _ := entry.member("id")
		rel, _ := entry.member("path")
		name, _ := rel.text()
		if root != nil {
			if info, err := statArtifact(root, name); err == nil && info.Size() > 0 {
				size := strconv.FormatInt(info.Size(), 10)
				produced = append(produced, document(`{"id":`+string(id)+`,"path":`+string(rel)+`,"size":`+size+`,"present":true}`))
				continue
			}
		}
		if required, has := entry.member("required"); has && required == "false" {
			missingOptional = append(missingOptional, entry)
		} else {
			missingRequired = append(missingRequired, entry)
		}
	}
	status := `"passed"`
	switch {
	case len(missingRequired) > 0:
		status = `"failed"`
	case len(missingOptional) > 0:
		status = `"warning"`
	}
	at := appendNumber(nil, session.UnixSeconds(now))
	return document(`{"status":` + status + `,"checked_at":` + string(at) +
		`,"missing_required":` + string(listDocument(missingRequired)) +
		`,"missing_optional":` + string(listDocument(missingOptional)) +
		`,"produced":` + string(listDocument(produced)) + `,"provisional":true}`)
}

// contractEntries checks a contract and returns what it expects.
func contractEntries(contract document) ([]document, bool) {
	if text, ok := contract.text(); ok {
		parsed, err := parseDocument(text)
		if err != nil {
			return nil, false
		}
		contract = parsed
	}
	list, ok := contract.member("expected")
	if !ok || !strings.HasPrefix(string(list), "[") {
		return nil, false
	}
	entries := list.elements()
	seen := make(map[string]bool, len(entries))
	for _, entry := range entries {
		raw, _ := entry.member("id")
		id, isText := raw.text()
		rel, _ := entry.member("path")
		name, isPath := rel.text()
		if !isText || !artifactID.MatchString(id) || seen[id] || !isPath || !localPath(name) {
			return nil, false
		}
		if required, has := entry.member("required"); has && required != "true" && required != "false" {
			return nil, false
		}
		seen[id] = true
	}
	return entries, true
}

// localPath reports whether a contract's path is relative, free of wild cards
// and does not climb.
func localPath(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "*?[]\x00") {
		return false
	}
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// statArtifact looks at a regular file below root.
func statArtifact(root *os.Root, name string) (fs.FileInfo, error) {
	if !localPath(name) {
		return nil, errOutside
	}
	info, err := root.Stat(path.Clean(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errAccess
	}
	return info, nil
}
