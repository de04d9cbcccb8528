-- additive
-- What the bounded listing stands on (ADR-0135, D5): the order indexes and the
-- incarnation of this store. An adopted store gets exactly these too.

CREATE INDEX idx_sessions_listing_recent
    ON sessions(updated_at DESC, id DESC);

CREATE INDEX idx_sessions_listing_cost_reported
    ON sessions(total_cost_usd DESC, updated_at DESC, id DESC)
    WHERE total_cost_usd IS NOT NULL;

CREATE INDEX idx_sessions_listing_cost_unknown
    ON sessions(updated_at DESC, id DESC)
    WHERE total_cost_usd IS NULL;

CREATE TABLE listing_store_identity (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    incarnation TEXT NOT NULL,
    created_at  REAL NOT NULL
);
