package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"podium.local/tool"
)

// errNextFile says that nothing more is to be known about a file.
var errNextFile = errors.New("next file")

// findings makes entries of the matches: paths, counts or lines. It shows a
// window of them and ends the search once there is one beyond.
type findings struct {
	mode          string
	numbers       bool
	before, after int
	offset, limit int

	text *tool.Clip
	// entries counts those before the window too; more is set when there is one
	// behind it.
	entries int
	more    bool
	// files and matched count what was found, up to the end of the search.
	files, matched int

	path string
	// no is the number of the current line, here how many of the file matched,
	// due how many lines of context are still to show.
	no, here, due int
	// waiting are the lines that may become the context before a match.
	waiting []contextLine
	// lastPath and lastNo are the line written last, "" at the beginning.
	lastPath string
	lastNo   int
}

type contextLine struct {
	no   int
	text string
}

func newFindings(a grepArgs, text *tool.Clip) *findings {
	f := &findings{mode: a.Mode, numbers: a.Numbers, offset: a.Offset, limit: a.HeadLimit,
		before: a.Context, after: a.Context, text: text}
	if a.Before != nil {
		f.before = *a.Before
	}
	if a.After != nil {
		f.after = *a.After
	}
	return f
}

// open begins a file.
func (f *findings) open(path string) {
	f.path, f.no, f.here, f.due = path, 0, 0, 0
	f.waiting = f.waiting[:0]
}

// line takes the next line of the file, of which cut bytes are not here. at is
// where in it a match begins and ends, nil if there is none.
func (f *findings) line(line []byte, cut int, at []int) error {
	f.no++
	if at != nil {
		return f.match(line, cut, at[0])
	}
	switch {
	case f.mode != modeContent:
	case f.due > 0:
		f.due--
		return f.show(f.no, "-", excerpt(line, cut, 0))
	case f.before > 0:
		if len(f.waiting) == f.before {
			copy(f.waiting, f.waiting[1:])
			f.waiting = f.waiting[:f.before-1]
		}
		f.waiting = append(f.waiting, contextLine{f.no, excerpt(line, cut, 0)})
	}
	return nil
}

func (f *findings) match(line []byte, cut, at int) error {
	f.here++
	f.matched++
	if f.here == 1 {
		f.files++
	}
	switch f.mode {
	case modeFiles:
		return errNextFile
	case modeCount:
		return nil
	}
	for _, w := range f.waiting {
		if err := f.show(w.no, "-", w.text); err != nil {
			return err
		}
	}
	f.waiting = f.waiting[:0]
	f.due = f.after
	return f.show(f.no, ":", excerpt(line, cut, at))
}

// close ends a file.
func (f *findings) close() error {
	switch {
	case f.here == 0 || f.mode == modeContent:
		return nil
	case f.mode == modeCount:
		return f.entry(f.path+":"+strconv.Itoa(f.here), false)
	default:
		return f.entry(f.path, false)
	}
}

// show makes an entry of a line. Lines that do not follow one another are set
// apart where context is asked for.
func (f *findings) show(no int, sep, text string) error {
	apart := f.before+f.after > 0 && f.lastPath != "" && (f.lastPath != f.path || no > f.lastNo+1)
	s := f.path + sep
	if f.numbers {
		s += strconv.Itoa(no) + sep
	}
	if err := f.entry(s+text, apart); err != nil {
		return err
	}
	if f.entries > f.offset {
		f.lastPath, f.lastNo = f.path, no
	}
	return nil
}

// entry writes an entry if it lies in the window; behind it, it ends the
// search.
func (f *findings) entry(s string, apart bool) error {
	if f.entries-f.offset >= f.limit {
		f.more = true
		return errStop
	}
	f.entries++
	if f.entries <= f.offset {
		return nil
	}
	if apart {
		f.text.WriteString("--\n")
	}
	f.text.WriteString(s + "\n")
	return nil
}

func (f *findings) summary() string {
	if f.files == 0 {
		return "No matches found"
	}
	atLeast := ""
	if f.more {
		atLeast = "at least "
	}
	s := fmt.Sprintf("Found matches in %s%d file(s)", atLeast, f.files)
	if f.mode != modeFiles {
		s = fmt.Sprintf("Found %s%d matching line(s) in %d file(s)", atLeast, f.matched, f.files)
	}
	switch {
	case f.entries <= f.offset:
		s += fmt.Sprintf("; none left at offset %d of %d", f.offset, f.entries)
	case f.more:
		s += fmt.Sprintf("; entries %d..%d shown, go on with offset %d", f.offset+1, f.entries, f.entries)
	case f.offset > 0:
		s += fmt.Sprintf("; entries %d..%d shown", f.offset+1, f.entries)
	}
	return s
}

// excerpt is a line as it is shown. Of a long one, of which cut bytes are not
// here, it is what lies around at.
func excerpt(line []byte, cut, at int) string {
	const shown, lead = 1000, 200
	if len(line)+cut <= shown {
		return string(bytes.ToValidUTF8(line, replacement))
	}
	from := max(min(at-lead, len(line)-shown), 0)
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from++
	}
	to := min(from+shown, len(line))
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	s := string(bytes.ToValidUTF8(line[from:to], replacement))
	if from > 0 {
		s = "[…]" + s
	}
	return fmt.Sprintf("%s[… %d bytes]", s, len(line)+cut)
}
