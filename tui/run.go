package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Terminal is where a program of this package runs.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	// Environ is the environment, for what the terminal can do (TERM, NO_COLOR).
	Environ []string
}

// Attach shows a pod until the person leaves. What is left to say on the plain
// screen is returned; the pod lives on.
func Attach(ctx context.Context, t Terminal, o Options) (farewell string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := NewModel(ctx, o)
	defer m.Close()
	if err := t.run(ctx, m); err != nil {
		return "", fmt.Errorf("run the terminal client: %w", err)
	}
	return m.farewell, m.failure
}

// run drives a model. A context that ends is an end like any other.
func (t Terminal) run(ctx context.Context, m tea.Model) error {
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(t.In), tea.WithOutput(t.Out), tea.WithEnvironment(t.Environ), tea.WithoutSignalHandler())
	_, err := p.Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}
