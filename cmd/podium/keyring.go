package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
)

func newKeyringCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keyring",
		Short: "the keys that sign the listing's cursors: status, rotate, revoke",
		Long: `Show and change the keys that sign the cursors of a store's listing. They are in
a file of their own in the data folder and have nothing to do with bearer tokens.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newKeyringSubcommand(a, "status", "the keys: which one signs, which ones verify and until when", cobra.NoArgs,
			func(_ *cobra.Command, k *listing.Keyring, _ []string) (*listing.Keys, error) { return k.Inspect() }),
		newKeyringSubcommand(a, "rotate", "make a new signing key; the old one verifies until its cursors have expired", cobra.NoArgs,
			func(cmd *cobra.Command, k *listing.Keyring, _ []string) (*listing.Keys, error) {
				return a.rotateKeys(cmd.Context(), k)
			}),
		newKeyringSubcommand(a, "revoke KEY", "remove a key at once: listings begun with it start over", cobra.ExactArgs(1),
			func(cmd *cobra.Command, k *listing.Keyring, args []string) (*listing.Keys, error) {
				keys, err := k.Revoke(cmd.Context(), args[0], time.Now())
				if errors.Is(err, listing.ErrUnknownKey) {
					return nil, fmt.Errorf("there is no key %s in %s; podium keyring status shows the keys", printable(args[0]), k.Path())
				}
				return keys, err
			}),
	)
	return cmd
}

// rotateKeys makes a new signing key, and another keyring in place of a damaged
// one.
func (a *app) rotateKeys(ctx context.Context, k *listing.Keyring) (*listing.Keys, error) {
	keys, err := k.Rotate(ctx, time.Now())
	if !errors.Is(err, listing.ErrDamaged) {
		return keys, err
	}
	keys, aside, renewed := k.Renew(ctx, time.Now())
	if aside != "" {
		fmt.Fprintf(a.err, "podium: notice: %v; it is kept as %s, and listings begun before start over\n", err, aside)
	}
	return keys, renewed
}

// newKeyringSubcommand makes a command that shows the keys that act leaves.
func newKeyringSubcommand(a *app, use, short string, args cobra.PositionalArgs, act func(*cobra.Command, *listing.Keyring, []string) (*listing.Keys, error)) *cobra.Command {
	var flags storeFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: argsUsage(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := flags.locate(a)
			if err != nil {
				return err
			}
			if cmd.Name() == "rotate" {
				if err := noStore(cmd.Context(), cfg, flags.file); err != nil {
					return err
				}
				if err := makeKeyringFolder(cfg); err != nil {
					return err
				}
			}
			k := keyringOf(cfg)
			keys, err := act(cmd, k, args)
			if err != nil {
				return keyringNext(err, cfg, flags.file)
			}
			return printKeys(a.out, k.Path(), keys, flags.asJSON)
		},
	}
	flags.register(cmd)
	return cmd
}

// noStore says what is at the store's path when it is no store: another file, or
// nothing where file, the value of --store, promised one. A store that cannot be
// used as it is remains one.
func noStore(ctx context.Context, cfg config.Config, file string) error {
	s, err := store.OpenReadOnly(ctx, cfg.Store.Path, store.Options{BusyTimeout: cfg.Store.BusyTimeout})
	switch {
	case err == nil:
		return s.Close()
	case errors.Is(err, store.ErrAbsent) && file != "" || errors.Is(err, store.ErrForeign):
		return err
	}
	return nil
}

// keyringNext adds to an error of the store's keyring what makes a new one;
// file is the value of --store, without which the command would make the
// configured store's.
func keyringNext(err error, cfg config.Config, file string) error {
	command := "podium keyring rotate"
	if file != "" || cfg.Store.Name == "" {
		command += " --store " + shellWord(cfg.Store.Path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// Before its first keyring a store without a name has no keyring's path.
		return fmt.Errorf("there is no keyring for the store %s yet: %s makes one", cfg.Store.Path, command)
	case errors.Is(err, listing.ErrDamaged):
		return fmt.Errorf("%w; %s moves the file aside and makes another", err, command)
	}
	return err
}

// shellWord writes a word so that a shell reads it back as it is.
func shellWord(word string) string {
	for _, c := range []byte(word) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/._-+,:@%", c) >= 0, c >= 0x80:
		default:
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}

// keyLine is a key as --json prints it, without its secret. Times are Unix
// seconds.
type keyLine struct {
	ID        string `json:"id"`
	Active    bool   `json:"active"`
	CreatedAt int64  `json:"created_at"`
	RetireAt  *int64 `json:"retire_at"`
}

func printKeys(w io.Writer, path string, keys *listing.Keys, asJSON bool) error {
	var lines []keyLine
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "KEY\tMADE\tSTATE")
	for _, info := range keys.Infos() {
		line := keyLine{ID: info.ID, Active: info.Active, CreatedAt: info.CreatedAt.Unix()}
		state := "signs"
		if !info.Active {
			at := info.RetiresAt.Unix()
			line.RetireAt = &at
			state = "verifies until " + info.RetiresAt.Local().Format(time.DateTime)
		}
		lines = append(lines, line)
		fmt.Fprintf(tw, "%s\t%s\t%s\n", info.ID, info.CreatedAt.Local().Format(time.DateTime), state)
	}
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			Path string    `json:"path"`
			Keys []keyLine `json:"keys"`
		}{path, lines})
	}
	return tw.Flush()
}

// keyringOf is the keyring of the configured store. It lies in the data
// folder, never beside the store, so that no copy of a store brings its keys.
func keyringOf(cfg config.Config) *listing.Keyring {
	return listing.NewKeyring(filepath.Join(cfg.Paths.Keyrings(), storeID(cfg)+".json"), listing.DefaultPolicy())
}

// makeKeyring makes the keyring of the configured store when there is none.
// Who hosts or serves sessions does that when it starts; a listing never does.
func makeKeyring(cfg config.Config) error {
	if cfg.Store.Path == "" {
		return nil
	}
	if err := makeKeyringFolder(cfg); err != nil {
		return err
	}
	if _, err := keyringOf(cfg).Ensure(time.Now()); err != nil {
		return keyringNext(err, cfg, "")
	}
	return nil
}

func makeKeyringFolder(cfg config.Config) error {
	for _, dir := range []string{cfg.Paths.Data, cfg.Paths.Keyrings()} {
		if err := config.MakeDir(dir); err != nil {
			return err
		}
	}
	if cfg.Store.Name != "" {
		return nil
	}
	return makeAdhocKey(adhocKeyFile(cfg))
}

// storeID is the logical name of the store, which stands in cursors and names
// its keyring: its name in the configuration, else one made from its path that
// does not say where the file is. Before there is a key to make it with, it is
// a name that no keyring has.
func storeID(cfg config.Config) string {
	if cfg.Store.Name != "" {
		return cfg.Store.Name
	}
	key, err := os.ReadFile(adhocKeyFile(cfg))
	if err != nil || len(key) != sha256.Size {
		return "adhoc"
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(filepath.Clean(cfg.Store.Path)))
	return "adhoc-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

// adhocKeyFile keeps the key that turns paths into names. Whoever sees a name
// cannot try paths against it.
func adhocKeyFile(cfg config.Config) string { return filepath.Join(cfg.Paths.Keyrings(), "adhoc.key") }

// makeAdhocKey makes the key once; of several processes one makes it.
func makeAdhocKey(path string) (err error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == sha256.Size {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".adhoc.part-*")
	if err != nil {
		return fmt.Errorf("make the key for stores without a name: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("make the key for stores without a name: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the key for stores without a name: %w", err)
	}
	return nil
}

// newLister is the bounded listing of the configured store.
func newLister(cfg config.Config, v *store.View) *listing.Lister[session.Row] {
	return &listing.Lister[session.Row]{Store: v, Keyring: keyringOf(cfg), StoreID: storeID(cfg), Policy: listing.DefaultPolicy()}
}
