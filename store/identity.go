package store

import (
	"context"

	"github.com/google/uuid"
)

// RotateIdentity gives the store a new incarnation and returns it: listings
// that were begun cannot be continued. A copy of a store needs it, as a copy
// that kept the identity would continue the listings of its original.
func (s *Store) RotateIdentity(ctx context.Context) (incarnation string, err error) {
	if s.kind == KindLionagi {
		return "", explain("rotate identity", errAdopted)
	}
	incarnation = uuid.NewString()
	err = s.write(ctx, "rotate the identity of store "+s.given, func(c *conn) error {
		return replaceIdentity(c, incarnation, seconds(s.opts.Now()))
	})
	if err != nil {
		return "", err
	}
	return incarnation, nil
}

// replaceIdentity ends the incarnation before this one.
func replaceIdentity(c *conn, incarnation string, now float64) error {
	return c.run(`INSERT INTO listing_store_identity (id, incarnation, created_at) VALUES (1, ?1, ?2)
		ON CONFLICT (id) DO UPDATE SET incarnation = ?1, created_at = ?2`, incarnation, now)
}

// insertIdentity gives a store that is being made its first incarnation.
func insertIdentity(c *conn, now float64) error {
	return c.run("INSERT INTO listing_store_identity (id, incarnation, created_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING",
		uuid.NewString(), now)
}
