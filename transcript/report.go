package transcript

import "podium.local/session"

// Report is what an import did. Counts are of this import alone.
type Report struct {
	Tool Tool   `json:"tool"`
	Dir  string `json:"dir"`
	// Files were found; Unchanged ones cost a look, Older ones were left out by
	// Since, Read ones were read on.
	Files     int `json:"files"`
	Unchanged int `json:"unchanged"`
	Older     int `json:"older"`
	Read      int `json:"read"`
	// Gone files were read once and are no longer there, Replaced ones are others
	// than they were; Links and Compressed ones are not read.
	Gone       int `json:"gone"`
	Replaced   int `json:"replaced"`
	Links      int `json:"links"`
	Compressed int `json:"compressed"`
	// Stats counts the files that were asked for their size and time, Opens how
	// often one was opened.
	Stats int `json:"stats"`
	Opens int `json:"opens"`
	// Bytes and Lines were read; entries were Kept or Known from before.
	Bytes    int64            `json:"bytes"`
	Lines    int64            `json:"lines"`
	Sessions int              `json:"sessions"` // new rows
	Kept     int64            `json:"kept"`
	Known    int64            `json:"known"`
	Raw      int64            `json:"raw"`
	Damaged  int64            `json:"damaged"`
	Clamped  int64            `json:"clamped"`
	Skipped  map[string]int64 `json:"skipped"`
	// Refused counts the files that hold no record of the tool, those among them
	// that did not change included; Refusals are the first.
	Refused  int       `json:"refused"`
	Refusals []Refusal `json:"refusals"`
	// Waiting counts files whose last line has no end yet.
	Waiting int `json:"waiting"`
	// Problems are the first lines that could not be used.
	Problems []Problem `json:"problems"`
	// Troubles are files and folders that could not be read.
	Troubles []Trouble `json:"troubles"`
	Seconds  float64   `json:"seconds"`
}

// newReport is the report of an import that did nothing yet. Its lists are never
// null where they are read as JSON.
func newReport(opts Options) Report {
	return Report{Tool: opts.Tool, Dir: opts.Dir, Skipped: map[string]int64{}, Refusals: []Refusal{}, Problems: []Problem{}, Troubles: []Trouble{}}
}

// Problem is a line that could not be used.
type Problem struct {
	Path string `json:"path"`
	session.ImportProblem
}

func (r *Report) trouble(path, text string) {
	if len(r.Troubles) < maxTroubles {
		r.Troubles = append(r.Troubles, Trouble{path, text})
	}
}

func (r *Report) refuse(f session.ImportFile) {
	refusal, refused := refusal(r.Tool, f)
	if !refused {
		return
	}
	r.Refused++
	if len(r.Refusals) < maxTroubles {
		r.Refusals = append(r.Refusals, refusal)
	}
}

// tally follows one file, so that the report counts what was stored and no
// more.
type tally struct {
	r        *Report
	path     string
	last     session.ImportFile
	cursor   int64
	problems int
	replaced bool
	counted  bool
}

func (r *Report) begin(path string, replaced bool, row session.ImportFile) *tally {
	return &tally{r: r, path: path, last: row, cursor: row.Cursor, problems: len(row.Problems), replaced: replaced}
}

// add counts a batch that was stored.
func (t *tally) add(now session.ImportFile, out session.ImportOutcome) {
	r := t.r
	if !t.counted {
		t.counted = true
		r.Read++
		if t.replaced {
			r.Replaced++
		}
	}
	r.Bytes += now.Cursor - t.cursor
	t.cursor = now.Cursor
	r.Lines += now.Lines - t.last.Lines
	r.Raw += now.Raw - t.last.Raw
	r.Damaged += now.Damaged - t.last.Damaged
	r.Clamped += now.Clamped - t.last.Clamped
	for reason, n := range now.Skipped {
		if n -= t.last.Skipped[reason]; n > 0 {
			r.Skipped[reason] += n
		}
	}
	for _, p := range now.Problems[t.problems:] {
		if len(r.Problems) < maxTroubles {
			r.Problems = append(r.Problems, Problem{t.path, p})
		}
	}
	t.problems = len(now.Problems)
	skipped := now.Skipped
	t.last = now
	t.last.Skipped = make(map[string]int64, len(skipped))
	for reason, n := range skipped {
		t.last.Skipped[reason] = n
	}
	r.Sessions += out.NewSessions
	r.Kept += int64(out.Kept)
	r.Known += int64(out.Known)
}
