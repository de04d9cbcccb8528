package tool

import "errors"

// The policy a PathError reports.
var (
	ErrNotAbsolute  = errors.New("path must be absolute")
	ErrOutside      = errors.New("path is outside allowed scope")
	ErrReadOnly     = errors.New("path is read-only in this scope")
	ErrDirectory    = errors.New("path is a directory")
	ErrNotDirectory = errors.New("path is not a directory")
	ErrNotRegular   = errors.New("path is not a regular file")
	ErrNotFound     = errors.New("file not found")
)

// PathError is a file rule broken: the rule and the path as it was given.
type PathError struct {
	Err  error
	Path string
}

func (e *PathError) Error() string { return e.Err.Error() + ": " + e.Path }

func (e *PathError) Unwrap() error { return e.Err }

// InvalidArgument is the result of a call that asked for something it may not
// or cannot mean; trying again with other arguments can help.
func InvalidArgument(err error) Result { return failure("Invalid argument", err) }

// ExecutionFailed is the result of a call that was right and failed.
func ExecutionFailed(err error) Result { return failure("Execution failed", err) }

func failure(kind string, err error) Result {
	return Result{Summary: "Tool execution failed: " + kind + ": " + err.Error(), IsError: true}
}

// Failed picks between InvalidArgument, for a broken file rule, and
// ExecutionFailed, for a missing file and everything else.
func Failed(err error) Result {
	var pe *PathError
	if errors.As(err, &pe) && !errors.Is(err, ErrNotFound) {
		return InvalidArgument(err)
	}
	return ExecutionFailed(err)
}

// Unknown is the result of a call of a tool that is not registered.
func Unknown(name string) Result {
	return Result{Summary: "Tool '" + name + "' not found", IsError: true}
}
