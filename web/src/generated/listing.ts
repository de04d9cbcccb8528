// Code generated from the API document by npm run types; DO NOT EDIT.

export interface paths {
    "/api/runs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists runs in bounded work: each request examines at most candidate_limit sessions and says how far it came. */
        get: operations["listRunsV2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists sessions in bounded work: each request examines at most candidate_limit sessions and says how far it came. */
        get: operations["listSessionsV2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ErrorBody: {
            /** @description What is wrong, in words. */
            detail: string;
        };
        FieldProblem: {
            /** @description The bound that was passed, for ge and le. */
            ctx?: unknown;
            /** @description Any JSON value. */
            input: unknown;
            /** @description Where: query or body, then the name. */
            loc: string[];
            msg: string;
            /** @description Machine word for the kind of problem. */
            type: string;
        };
        ListingProblem: {
            code: string;
            message: string;
            /** @description The listing has to begin anew, without its cursor. */
            restart_required: boolean;
        };
        ListingProblemBody: {
            detail: components["schemas"]["ListingProblem"];
        };
        Pagination: {
            /**
             * Format: int64
             * @description Most candidates that one request examines.
             */
            candidate_limit: number;
            /**
             * Format: int64
             * @description Sessions that the filter was tried on; without skipped ones.
             */
            examined_candidates: number;
            /** @description True exactly when next_cursor is there. Says nothing of matches. */
            has_more_candidates: boolean;
            /** @description Continues behind the last candidate that was examined; null when none remains. */
            next_cursor: string | null;
            /** @enum {string} */
            offset_basis: "candidates";
            /** Format: int64 */
            returned: number;
            /** @enum {string} */
            search_mode: "none" | "bounded_contains";
            /** @enum {string} */
            stop_reason: "exhausted" | "row_limit" | "candidate_limit";
        };
        RunRow: {
            agent_hash: string | null;
            agent_name: string | null;
            /** @description Any JSON value. */
            artifact_contract_json: unknown;
            /** @description Any JSON value. */
            artifact_verification_json: unknown;
            /** Format: int64 */
            branch_count: number;
            /** Format: double */
            created_at: number;
            /** @description Health of a running session's process; null for any other. */
            effective_health: string | null;
            effort: string | null;
            /** Format: double */
            ended_at: number | null;
            ended_at_is_approximate: boolean;
            id: string;
            /** Format: int64 */
            input_tokens: number | null;
            invocation_id: string | null;
            invocation_kind: string | null;
            /** Format: double */
            last_message_at: number | null;
            /** Format: int64 */
            message_count: number;
            model: string | null;
            /** @description Display name; never null. */
            name: string;
            /** Format: int64 */
            output_tokens: number | null;
            playbook_name: string | null;
            project: string | null;
            project_source: string | null;
            provider: string | null;
            /** @description Equal to id. */
            run_id: string;
            show_play_name: string | null;
            show_topic: string | null;
            source_kind: string;
            /** Format: double */
            started_at: number | null;
            status: string;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            tags: string[];
            /**
             * Format: double
             * @description null is unknown, never 0.
             */
            total_cost_usd: number | null;
            /**
             * Format: double
             * @description In listings 0.0 when unknown, in the detail null.
             */
            updated_at: number | null;
        };
        RunsWindow: {
            /**
             * Format: int64
             * @enum {integer}
             */
            listing_version: 2;
            pagination: components["schemas"]["Pagination"];
            /**
             * Format: int64
             * @description Most rows of this answer.
             */
            per_page: number;
            runs: components["schemas"]["RunRow"][];
            /**
             * Format: int64
             * @description Rows of this answer that run and have an end.
             */
            status_ended_at_mismatches: number;
            total: components["schemas"]["Total"];
        };
        SessionRow: {
            agent_hash: string | null;
            agent_name: string | null;
            /** @description Any JSON value. */
            artifact_contract_json: unknown;
            /** @description Any JSON value. */
            artifact_verification_json: unknown;
            artifacts_path: string | null;
            /** Format: int64 */
            branch_count: number;
            /** Format: double */
            created_at: number;
            effort: string | null;
            /** Format: double */
            ended_at: number | null;
            ended_at_is_approximate: boolean;
            id: string;
            /** Format: int64 */
            input_tokens: number | null;
            invocation_id: string | null;
            invocation_kind: string | null;
            /** Format: double */
            last_message_at: number | null;
            /** Format: int64 */
            message_count: number;
            model: string | null;
            /** @description Display name; never null. */
            name: string;
            /** @description JSON text as stored. */
            node_metadata: string | null;
            /** Format: int64 */
            output_tokens: number | null;
            playbook_name: string | null;
            project: string | null;
            project_source: string | null;
            provider: string | null;
            show_play_name: string | null;
            show_topic: string | null;
            source_kind: string;
            /** Format: double */
            started_at: number | null;
            status: string;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /**
             * Format: double
             * @description null is unknown, never 0.
             */
            total_cost_usd: number | null;
            /**
             * Format: double
             * @description 0.0 when unknown.
             */
            updated_at: number;
        };
        SessionsWindow: {
            /**
             * Format: int64
             * @description Most rows of this answer.
             */
            limit: number;
            /**
             * Format: int64
             * @enum {integer}
             */
            listing_version: 2;
            pagination: components["schemas"]["Pagination"];
            sessions: components["schemas"]["SessionRow"][];
            total: components["schemas"]["Total"];
        };
        Total: {
            /** @enum {string} */
            kind: "unknown" | "exact";
            /**
             * Format: int64
             * @description null exactly when the kind is unknown.
             */
            value: number | null;
        };
        UnsupportedBody: {
            backend: string;
            detail: string;
            route: string;
        };
        ValidationBody: {
            detail: components["schemas"]["FieldProblem"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listRunsV2: {
        parameters: {
            query: {
                /** @description Selects version 2. */
                listing_version: "2";
                /** @description The next_cursor of an answer to the same request. Not with an offset or a page. */
                cursor?: string;
                /** @description Count all matching rows too; reads the whole store. */
                exact_total?: boolean;
                /** @description recent is by last update, unknown times last; cost puts the highest reported cost first and unreported cost last. Both end in the id, descending. */
                sort?: "recent" | "cost";
                /** @description Skips (page-1)*per_page candidates, at most 10,000; only without filters. */
                page?: number;
                /** @description Most rows to return. */
                per_page?: number;
                /** @description Any of these statuses; aliases are expanded. */
                status?: string[];
                /** @description Contained in the playbook name, ignoring ASCII case. */
                playbook?: string;
                /** @description Exact project. */
                project?: string;
                /** @description Only runs without a project; wins over project. */
                project_null?: boolean;
                /** @description All of these tags. */
                tag?: string[];
                /** @description Contained in the stored name or the agent name, ignoring ASCII case. */
                search?: string;
                /** @description Any of: agent, play, flow, fanout, show. */
                kind?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsWindow"];
                };
            };
            /** @description Invalid listing cursor. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description A token is configured and the request has another or none. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Restart the listing from the beginning. Or: Stored ordering values are unsupported. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description Invalid listing request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description The configured store is not a local file. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsupportedBody"];
                };
            };
            /** @description Listing v2 is unavailable for this store. Or the store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"] | components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listSessionsV2: {
        parameters: {
            query: {
                /** @description Selects version 2. */
                listing_version: "2";
                /** @description The next_cursor of an answer to the same request. Not with an offset or a page. */
                cursor?: string;
                /** @description Count all matching rows too; reads the whole store. */
                exact_total?: boolean;
                /** @description recent is by last update, unknown times last; cost puts the highest reported cost first and unreported cost last. Both end in the id, descending. */
                sort?: "recent" | "cost";
                /** @description Most rows to return. */
                limit?: number;
                /** @description Candidates to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsWindow"];
                };
            };
            /** @description Invalid listing cursor. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description A token is configured and the request has another or none. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Restart the listing from the beginning. Or: Stored ordering values are unsupported. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description Invalid listing request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"];
                };
            };
            /** @description The configured store is not a local file. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsupportedBody"];
                };
            };
            /** @description Listing v2 is unavailable for this store. Or the store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListingProblemBody"] | components["schemas"]["ErrorBody"];
                };
            };
        };
    };
}
