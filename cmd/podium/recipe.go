package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"podium.local/config"
)

// recipe is how a pod was started: what its command line said, so that it is
// started the same way again from anywhere. It holds no secret: keys have no
// flag, and a base URL with a password in it is refused.
type recipe struct {
	Dir       string `json:"dir"`
	Provider  string `json:"provider,omitzero"`
	Model     string `json:"model,omitzero"`
	BaseURL   string `json:"base_url,omitzero"`
	Config    string `json:"config,omitzero"`
	Store     string `json:"store,omitzero"`
	MaxTurns  int    `json:"max_turns,omitzero"`
	AllowBash *bool  `json:"allow_bash,omitzero"`
}

// recipePath is where a pod's recipe is kept. It outlives the run folder,
// which is gone after a reboot.
func recipePath(paths config.Paths, name string) string {
	return filepath.Join(paths.Data, "pods", name+".json")
}

// readRecipe reads a pod's recipe; nil when there is none.
func readRecipe(paths config.Paths, name string) (*recipe, error) {
	path := recipePath(paths, name)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how pod %s was started: %w", name, err)
	}
	r := &recipe{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("read how pod %s was started: %s: %w; remove the file and name provider and model again", name, path, err)
	}
	return r, nil
}

// keep writes the recipe in one step.
func (r *recipe) keep(paths config.Paths, name string) error {
	path := recipePath(paths, name)
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("keep how pod %s was started: %w", name, err)
	}
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("keep how pod %s was started: %w", name, err)
	}
	part := path + ".part"
	err = os.WriteFile(part, append(b, '\n'), 0o600)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return fmt.Errorf("keep how pod %s was started: %w", name, err)
	}
	return nil
}

// forgetRecipe removes a pod's recipe, if there is one.
func forgetRecipe(paths config.Paths, name string) error {
	if err := os.Remove(recipePath(paths, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget how pod %s was started: %w", name, err)
	}
	return nil
}

// storeOf is the store that the named pod was told to use; empty for the
// configured one.
func (a *app) storeOf(name string) string {
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return ""
	}
	r, err := readRecipe(paths, name)
	if err != nil || r == nil {
		return ""
	}
	return r.Store
}
