// Code generated from the API document by npm run types; DO NOT EDIT.

export interface paths {
    "/api/admin/readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The condition of the store, read with one indexed query. Always 200. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fleet/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as server-sent events: a reset with everything, then changes. Last-Event-ID resumes. */
        get: operations["streamFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ledger of imported files: how far each was read and what became of its lines. */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invocations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists orchestrations, newest first. */
        get: operations["listInvocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One orchestration with its sessions and artifacts. */
        get: operations["getInvocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What goes on: every pod that has not ended, and the sessions that run or failed lately. */
        get: operations["listPods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a run, or discards a paused one. */
        post: operations["cancelPod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Summarises the conversation now and goes on in a new session. */
        post: operations["compactPod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/notify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leaves a pod a note; an idle one starts a run for it. */
        post: operations["notifyPod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops a run so that it can be resumed. */
        post: operations["pausePod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Goes on with a paused run. */
        post: operations["resumePod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pods/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives an idle or paused pod an input. */
        post: operations["runPod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All registered projects with their sessions counted. */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One project with its most used agents and playbooks. */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists runs by numbered page, filtered, with the exact count. Unknown parameters are refused. */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts runs by project. */
        get: operations["listRunProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run: its row, and a window of the newest messages of each branch. */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The text of a file below the run's artifact folder. */
        get: operations["getRunFile"];
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
        /** Lists sessions by numbered offset, with the exact count. Unknown parameters are ignored. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session with a window of the newest messages of each branch. */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /** Deletes a session for good. 409 while a live pod holds it and on an adopted store. */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /** Renames a session. 409 on an adopted store. */
        patch: operations["renameSession"];
        trace?: never;
    };
    "/api/sessions/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A window of the session's log: the newest entries, or those around, before or after one. */
        get: operations["getEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole log as JSON Lines or Markdown. */
        get: operations["exportSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sessions this one was compacted from and continued in. */
        get: operations["getLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Looks for a text in the session's log, at most 10,000 entries a request, and says how far it looked. */
        get: operations["searchSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The session's messages, past and coming, as server-sent events; a frame's id is the cursor to resume with. */
        get: operations["streamSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tags a session; a tag that is there already stays. */
        post: operations["addTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/tags/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Takes a tag off a session. The tag is the rest of the path, slashes too. */
        delete: operations["removeTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Trades a one-time code for the bearer token, once, within 60 seconds. */
        post: operations["exchangeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions started and spend by day, project or model; priced and unpriced requests apart. */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says that the daemon answers. Does not look at the store. */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counters in the Prometheus text format. */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi-listing-v2.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The document of the listings' version 2. */
        get: operations["openapiListingV2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["openapi"];
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
        AcceptedBody: {
            request_id: string;
        };
        AgentUse: {
            agent_name: string;
            /** Format: int64 */
            run_count: number;
        };
        Artifact: {
            /** @description Any JSON value. */
            content: unknown;
            /** Format: double */
            created_at: number;
            file_path: string | null;
            id: string;
            invocation_id: string | null;
            kind: string;
            name: string;
            session_id: string | null;
        };
        Attention: {
            /** @description paused, failed, limit, thrash, compaction_off; of sessions needs_review, blocked, gated. */
            kind: string;
            /**
             * Format: double
             * @description Since when it waits.
             */
            since: number;
        };
        Branch: {
            agent_name: string | null;
            /** Format: double */
            created_at: number;
            /** Format: double */
            ended_at: number | null;
            /** Format: double */
            first_message_at: number | null;
            id: string;
            /** Format: double */
            last_message_at: number | null;
            message_has_older: boolean;
            /** Format: int64 */
            message_limit: number;
            /** Format: int64 */
            message_offset: number;
            message_stats: components["schemas"]["BranchStats"];
            /**
             * Format: int64
             * @description Members of the branch, missing ones included.
             */
            message_total: number;
            /** Format: int64 */
            message_window_count: number;
            messages: components["schemas"]["Message"][];
            messages_truncated: boolean;
            model: string | null;
            name: string | null;
            provider: string | null;
            /** Format: double */
            started_at: number | null;
            status: string | null;
        };
        BranchStats: {
            /** Format: int64 */
            message_count: number;
            roles: {
                [key: string]: number;
            };
        };
        EntriesBody: {
            /** @description Pass as after for the window behind; null where the log ends. */
            after: string | null;
            /** @description Pass as before for the window in front; null where the log begins. */
            before: string | null;
            entries: components["schemas"]["Entry"][];
            /** @description The pod that holds the session; null for none. */
            pod: string | null;
            session_id: string;
            /** Format: int64 */
            total: number;
            usage: components["schemas"]["LogUsage"];
        };
        Entry: {
            /** Format: double */
            created_at: number;
            id: string;
            /** @enum {string} */
            kind: "input" | "system" | "text" | "reasoning" | "tool_call" | "tool_result" | "turn_end" | "run_end" | "rolled_back" | "compaction" | "foreign";
            /**
             * Format: int64
             * @description Position in the log, from 0.
             */
            ordinal: number;
            /** @description What was recorded; its members depend on kind. */
            payload: unknown;
            /** @description The pod whose event this is; null for copies and imports. */
            pod_id: string | null;
            /**
             * Format: int64
             * @description The number of that event.
             */
            seq: number | null;
        };
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
        FileBody: {
            content: string;
            path: string;
            /**
             * Format: int64
             * @description Bytes of the whole file.
             */
            size: number;
            /** @description Only the first 2,000,000 bytes are shown. */
            truncated: boolean;
        };
        FleetBody: {
            /** Format: double */
            as_of: number;
            /** @description More than 50 failed within a day. */
            failed_truncated: boolean;
            /** @description Every pod that has not ended, by name. */
            pods: components["schemas"]["FleetPod"][];
            /** @description At most 500 that run, are queued or wait, newest first, then at most 50 that failed within a day. */
            runs: components["schemas"]["FleetRun"][];
            /** @description More than 500 are stored as running, queued or waiting. */
            truncated: boolean;
        };
        FleetPod: {
            /** @description What the pod waits for a person with; null when it does not. */
            attention: components["schemas"]["Attention"] | null;
            /**
             * Format: int64
             * @description Connections. While a stream is open the daemon's own is one of them.
             */
            clients: number;
            /** Format: int64 */
            context_limit: number | null;
            /** Format: int64 */
            context_tokens: number | null;
            /** @description Some requests have no known price. */
            cost_partial: boolean;
            /**
             * Format: double
             * @description null is unknown, never 0.
             */
            cost_usd: number | null;
            cwd: string;
            /**
             * Format: int64
             * @description Of the session so far; null is unknown.
             */
            input_tokens: number | null;
            model: string | null;
            name: string;
            /** Format: int64 */
            output_tokens: number | null;
            pod_id: string;
            /** @description Why the newest compaction failed, as far as an open stream heard it; null once another one or a run begins. */
            problem: components["schemas"]["PodProblem"] | null;
            project: string | null;
            session_id: string | null;
            /**
             * Format: double
             * @description Since when it is in its state; of a dead pod, when it last started or wrote; of an unresponsive one, when it last answered while it was followed, else null.
             */
            since: number | null;
            /** Format: double */
            started_at: number;
            /**
             * @description unresponsive: the pod does not answer within 2 seconds; dead: its process was killed.
             * @enum {string}
             */
            state: "idle" | "running" | "paused" | "compacting" | "unresponsive" | "dead";
            /** @description The session's name; null while it has none. */
            title: string | null;
            /** @description The oldest tool call that runs. */
            tool: string | null;
        };
        FleetRun: {
            agent_hash: string | null;
            agent_name: string | null;
            /** @description Any JSON value. */
            artifact_contract_json: unknown;
            /** @description Any JSON value. */
            artifact_verification_json: unknown;
            /** @description null when nobody is waited for. */
            attention: components["schemas"]["Attention"] | null;
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
        HealthBody: {
            status: string;
        };
        ImportFile: {
            /**
             * Format: int64
             * @description Times that lay in the future.
             */
            clamped: number;
            /**
             * Format: int64
             * @description Bytes read for good.
             */
            cursor: number;
            /**
             * Format: int64
             * @description Lines that could not be read.
             */
            damaged: number;
            /**
             * Format: double
             * @description When it was first missed.
             */
            gone_at: number | null;
            /**
             * Format: int64
             * @description Entries stored.
             */
            kept: number;
            /**
             * Format: int64
             * @description Entries that were stored before.
             */
            known: number;
            /** @description Why it could not be read the last time. */
            last_error: string | null;
            /** Format: int64 */
            lines: number;
            path: string;
            /** @description The first lines that could not be used. */
            problems: components["schemas"]["ImportProblem"][];
            /**
             * Format: int64
             * @description Lines of unknown kinds, kept as they are.
             */
            raw: number;
            /** Format: double */
            read_at: number;
            /**
             * Format: int64
             * @description Bytes of the file when it was last read.
             */
            size: number;
            /** @description Lines of which nothing was kept, by reason. */
            skipped: {
                [key: string]: number;
            };
            /** @description The program that wrote it: claude-code or codex. */
            tool: string;
        };
        ImportProblem: {
            /**
             * Format: int64
             * @description Bytes.
             */
            length: number;
            /** Format: int64 */
            line: number;
            /**
             * Format: int64
             * @description Bytes.
             */
            offset: number;
            /** @description Of a line that was too long to be decoded. */
            sha256: string | null;
            text: string;
        };
        ImportedLineage: {
            /** @description The session that this one begins as a copy of; what both share is stored with that one. */
            forked_from: components["schemas"]["SessionLink"];
            /** @description Oldest first, at most 1,000. */
            forks: components["schemas"]["SessionLink"][];
            /** @description The session that started this subagent. */
            parent: components["schemas"]["SessionLink"];
            /** @description Oldest first, at most 1,000. */
            subagents: components["schemas"]["SessionLink"][];
        };
        ImportsBody: {
            imports: components["schemas"]["ImportFile"][];
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            offset: number;
            /** Format: int64 */
            total: number;
        };
        Invocation: {
            /** Format: double */
            created_at: number;
            /** Format: double */
            ended_at: number | null;
            /** @description The worst of its sessions; unknown without any. */
            health: string;
            id: string;
            /** Format: double */
            last_activity_at: number | null;
            /** @description Any JSON value. */
            node_metadata: unknown;
            plugin: string | null;
            project: string | null;
            project_source: string | null;
            prompt: string | null;
            schedule_run_error_detail: string | null;
            /** Format: int64 */
            schedule_run_exit_code: number | null;
            /** Format: int64 */
            session_count: number;
            skill: string;
            /** Format: double */
            started_at: number;
            status: string;
            /** @description Any JSON value. */
            status_evidence_refs: unknown;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /** Format: double */
            updated_at: number;
        };
        InvocationCore: {
            /** Format: double */
            created_at: number;
            /** Format: double */
            ended_at: number | null;
            id: string;
            /** @description Any JSON value. */
            node_metadata: unknown;
            plugin: string | null;
            prompt: string | null;
            /** Format: int64 */
            session_count: number;
            skill: string;
            /** Format: double */
            started_at: number;
            status: string;
            /** @description Any JSON value. */
            status_evidence_refs: unknown;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /** Format: double */
            updated_at: number;
        };
        InvocationDetail: {
            artifacts: components["schemas"]["Artifact"][];
            /** Format: double */
            created_at: number;
            /** Format: double */
            ended_at: number | null;
            /** @description The worst of its sessions; unknown without any. */
            health: string;
            id: string;
            /** Format: double */
            last_activity_at: number | null;
            /** @description Any JSON value. */
            node_metadata: unknown;
            plugin: string | null;
            project: string | null;
            project_source: string | null;
            prompt: string | null;
            schedule_run_error_detail: string | null;
            /** Format: int64 */
            schedule_run_exit_code: number | null;
            /** Format: int64 */
            session_count: number;
            sessions: components["schemas"]["InvocationSession"][];
            skill: string;
            /** Format: double */
            started_at: number;
            status: string;
            /** @description Any JSON value. */
            status_evidence_refs: unknown;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /** Format: double */
            updated_at: number;
        };
        InvocationFate: {
            /** @description The worst of its sessions; unknown without any. */
            health: string;
            /** Format: double */
            last_activity_at: number | null;
            schedule_run_error_detail: string | null;
            /** Format: int64 */
            schedule_run_exit_code: number | null;
        };
        InvocationSession: {
            agent_name: string | null;
            effort: string | null;
            /** Format: double */
            ended_at: number | null;
            id: string;
            invocation_kind: string | null;
            /** Format: double */
            last_message_at: number | null;
            model: string | null;
            name: string | null;
            playbook_name: string | null;
            /** Format: double */
            started_at: number | null;
            status: string | null;
        };
        InvocationsBody: {
            /**
             * Format: int64
             * @description Completed ones whatever status was asked for.
             */
            completed_total: number;
            has_next: boolean;
            invocations: components["schemas"]["Invocation"][];
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            offset: number;
            /** Format: int64 */
            total: number;
        };
        LineageBody: {
            compacted_from: components["schemas"]["LineageStep"][];
            continued_in: components["schemas"]["LineageStep"][];
            /** @description Only of a session that was imported. */
            imported?: components["schemas"]["ImportedLineage"];
            session_id: string;
        };
        LineageStep: {
            /** Format: double */
            compacted_at: number | null;
            /**
             * Format: double
             * @description What the summary cost; null is unknown.
             */
            cost_usd: number | null;
            name: string | null;
            /** @description The session at the other end. */
            session_id: string;
            /** Format: int64 */
            tokens_after: number | null;
            /** Format: int64 */
            tokens_before: number | null;
        };
        LogUsage: {
            /**
             * Format: int64
             * @description What of it the vendor had in its cache; null is unknown.
             */
            cache_read_tokens: number | null;
            /** Format: int64 */
            cache_write_tokens: number | null;
            /**
             * Format: double
             * @description Of the requests that have a price; null is unknown.
             */
            cost_usd: number | null;
            /**
             * Format: int64
             * @description Whole prompts, cached parts included; null is unknown.
             */
            input_tokens: number | null;
            /** Format: int64 */
            output_tokens: number | null;
            /**
             * Format: int64
             * @description Requests in the cost; null where only a sum is known.
             */
            priced: number | null;
            /** Format: int64 */
            reasoning_tokens: number | null;
            /**
             * Format: int64
             * @description Requests without a price: with any, the cost is a lower bound.
             */
            unpriced: number | null;
        };
        Message: {
            action_request_id?: string;
            action_response_id?: string;
            /** @description Any JSON value. */
            content: unknown;
            /** @description The content is too large to be read with the others. */
            content_withheld: boolean;
            id: string;
            lion_class: string;
            role: string;
            sender: string | null;
            /** Format: double */
            timestamp: number;
        };
        MessageStats: {
            /** @description Only the newest part was counted. */
            bounded: boolean;
            branches: {
                [key: string]: components["schemas"]["BranchStats"];
            };
            /** Format: int64 */
            error_count: number;
            errors: components["schemas"]["ToolError"][];
            files: string[];
            files_bounded: boolean;
            /**
             * Format: int64
             * @description Messages that exist.
             */
            message_count: number;
            roles: {
                [key: string]: number;
            };
            /** Format: int64 */
            tool_call_count: number;
        };
        PlaybookUse: {
            playbook_name: string;
            /** Format: int64 */
            run_count: number;
        };
        PodNotifyBody: {
            /** @description A text for the model that is no request. */
            message: string;
            /** @description As for run. */
            request_id?: string;
        };
        PodPlainBody: {
            /** @description Comes back in the answer. */
            request_id?: string;
        };
        PodProblem: {
            /** Format: double */
            at: number;
            text: string;
        };
        PodRefusal: {
            /** @description The pod's word: already_running, not_running, not_paused, internal. */
            code: string;
            message: string;
        };
        PodRefusalBody: {
            detail: components["schemas"]["PodRefusal"];
        };
        PodRunBody: {
            /** @description The text that the pod should work on. */
            input: string;
            /** @description Names the request: a pod accepts one id once, so that a request without an answer can be repeated. */
            request_id?: string;
        };
        Project: {
            /** Format: double */
            created_at: number;
            description: string | null;
            editable: boolean;
            github: string | null;
            /** Format: double */
            last_seen_at: number | null;
            name: string;
            path: string | null;
            /** Format: int64 */
            running_count: number;
            /** Format: int64 */
            session_count: number;
            source: string;
            /** Format: double */
            updated_at: number;
        };
        ProjectCount: {
            /** Format: int64 */
            count: number;
            /** Format: double */
            last_activity: number | null;
            project: string | null;
        };
        ProjectCountsBody: {
            projects: components["schemas"]["ProjectCount"][];
            /** Format: int64 */
            total: number;
        };
        ProjectDetail: {
            agents_used: components["schemas"]["AgentUse"][];
            /** Format: double */
            created_at: number;
            description: string | null;
            editable: boolean;
            github: string | null;
            /** Format: double */
            last_seen_at: number | null;
            name: string;
            path: string | null;
            playbooks_used: components["schemas"]["PlaybookUse"][];
            /** Format: int64 */
            running_count: number;
            /** Format: int64 */
            session_count: number;
            source: string;
            /** Format: double */
            updated_at: number;
        };
        ProjectsBody: {
            projects: components["schemas"]["Project"][];
            /** Format: int64 */
            unassigned_count: number;
        };
        ReadinessBody: {
            /** Format: double */
            checked_at: number;
            /** @description What is wrong; null when healthy. */
            detail: string | null;
            /**
             * Format: double
             * @description Milliseconds the store took to answer; null when it did not.
             */
            latency_ms: number | null;
            /** @enum {string} */
            status: "healthy" | "slow" | "unavailable";
            /** @description Changes when continuations of listings become void; null without an identity. */
            store_context: string | null;
            store_present: boolean;
            /** Format: int64 */
            timeout_ms: number;
        };
        RenameRequest: {
            /** @description 1 to 200 bytes. */
            name: string;
        };
        RenamedBody: {
            /** @description Display name. */
            name: string;
            session_id: string;
        };
        RunDetail: {
            agent_hash: string | null;
            agent_name: string | null;
            /** @description Any JSON value. */
            artifact_contract_json: unknown;
            /** @description Artifact folder, never absolute. */
            artifact_root: string | null;
            /** @description Any JSON value. */
            artifact_verification_json: unknown;
            /** Format: int64 */
            branch_count: number;
            branches: components["schemas"]["Branch"][];
            /** Format: double */
            created_at: number;
            cwd: string | null;
            /** @description Health of a running session's process; null for any other. */
            effective_health: string | null;
            effort: string | null;
            /** Format: double */
            ended_at: number | null;
            ended_at_is_approximate: boolean;
            error: string | null;
            /** Format: double */
            finished_at: number | null;
            /** @description Any JSON value. */
            graph: unknown;
            id: string;
            /** Format: int64 */
            input_tokens: number | null;
            invocation_id: string | null;
            invocation_kind: string | null;
            /** Format: double */
            last_message_at: number | null;
            manifest: Record<string, never>;
            /** Format: int64 */
            message_count: number;
            message_cursor: string | null;
            /** Format: int64 */
            message_limit: number;
            message_next_cursor: string | null;
            message_stats: components["schemas"]["MessageStats"];
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
            /** @description Folder above the artifact folder, never absolute. */
            state_root: string | null;
            status: string;
            /** @description Any JSON value. */
            status_evidence_refs: unknown;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /** Format: int64 */
            step_count: number;
            /** @description One a branch; null without branches. */
            steps: components["schemas"]["RunStep"][] | null;
            tags: string[];
            task: string;
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
            worker_name: string;
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
        RunStep: {
            messages: components["schemas"]["Message"][];
            result: components["schemas"]["StepResult"];
            status: string;
            step: string;
            /** Format: double */
            timestamp: number | null;
        };
        RunsBody: {
            has_next: boolean;
            has_prev: boolean;
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            per_page: number;
            runs: components["schemas"]["RunRow"][];
            /**
             * Format: int64
             * @description Rows of this page that run and have an end.
             */
            status_ended_at_mismatches: number;
            /**
             * Format: int64
             * @description Rows that match in the whole store.
             */
            total: number;
            /** Format: int64 */
            total_pages: number;
        };
        SearchBody: {
            matches: components["schemas"]["SearchMatch"][];
            pagination: components["schemas"]["SearchPagination"];
            session_id: string;
            total: {
                /** @enum {string} */
                kind: "unknown";
                value: null;
            };
        };
        SearchMatch: {
            /** Format: double */
            created_at: number;
            entry_id: string;
            kind: string;
            /** Format: int64 */
            ordinal: number;
            /** @description The text around the first match, on one line. */
            snippet: string;
        };
        SearchPagination: {
            /** Format: int64 */
            candidate_limit: number;
            /** Format: int64 */
            examined_candidates: number;
            has_more_candidates: boolean;
            /** @description Pass as after to go on; null at the end of the log. */
            next_cursor: string | null;
            /** @enum {string} */
            offset_basis: "candidates";
            /** Format: int64 */
            returned: number;
            /** @enum {string} */
            search_mode: "bounded_contains";
            /** @enum {string} */
            stop_reason: "exhausted" | "row_limit" | "candidate_limit";
        };
        SessionDetail: {
            agent_hash: string | null;
            agent_name: string | null;
            /** @description Any JSON value. */
            artifact_contract_json: unknown;
            /** @description Any JSON value. */
            artifact_verification_json: unknown;
            artifacts_path: string | null;
            branches: components["schemas"]["Branch"][];
            /** Format: double */
            created_at: number;
            /**
             * Format: double
             * @description Milliseconds; null when the end was not measured.
             */
            duration_ms: number | null;
            effort: string | null;
            /** Format: double */
            ended_at: number | null;
            ended_at_is_approximate: boolean;
            /** @description Any JSON value. */
            graph: unknown;
            has_control_consumer: boolean;
            id: string;
            /** Format: int64 */
            input_tokens: number | null;
            invocation_id: string | null;
            invocation_kind: string | null;
            /** Format: double */
            last_message_at: number | null;
            message_cursor: string | null;
            /** Format: int64 */
            message_limit: number;
            /** @description Names the older window; null at the beginning. */
            message_next_cursor: string | null;
            message_stats: components["schemas"]["MessageStats"];
            model: string | null;
            name: string;
            node_metadata: string | null;
            /** Format: int64 */
            output_tokens: number | null;
            pause_is_held: boolean;
            playbook_name: string | null;
            project: string | null;
            project_source: string | null;
            provider: string | null;
            /** @description Any JSON value. */
            segments: unknown;
            show_play_name: string | null;
            show_topic: string | null;
            source_kind: string;
            source_show: components["schemas"]["ShowRef"] | null;
            /** Format: double */
            started_at: number | null;
            status: string;
            /** @description Any JSON value. */
            status_evidence_refs: unknown;
            status_reason_code: string | null;
            status_reason_summary: string | null;
            /** Format: double */
            total_cost_usd: number | null;
            /** Format: double */
            updated_at: number | null;
        };
        SessionLink: {
            /** Format: double */
            created_at: number | null;
            /** @description Null, as created_at, when that session is not in the store. */
            name: string | null;
            session_id: string;
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
        SessionsBody: {
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            offset: number;
            sessions: components["schemas"]["SessionRow"][];
            /** Format: int64 */
            total: number;
            /** @description More rows follow this page. */
            truncated: boolean;
        };
        ShowRef: {
            play_name: string;
            topic: string;
        };
        StepResult: {
            agent: string;
            /** Format: int64 */
            message_count: number;
            model: string;
            roles: {
                [key: string]: number;
            };
        };
        TagRequest: {
            tag: string;
        };
        TagsBody: {
            session_id: string;
            /** @description Sorted. */
            tags: string[];
        };
        TokenRequest: {
            /** @description The one-time code that podium studio printed. */
            code: string;
        };
        TokenResponse: {
            token: string;
        };
        ToolError: {
            function: string;
            output: string;
            sender: string | null;
            /** Format: double */
            timestamp: number | null;
        };
        UnsupportedBody: {
            backend: string;
            detail: string;
            route: string;
        };
        UsageBody: {
            /** Format: double */
            as_of: number;
            /**
             * @description last_activity: sessions count whole on the day they were last active.
             * @enum {string}
             */
            basis: "usage" | "last_activity";
            /** @enum {string} */
            by: "day" | "project" | "model";
            /** @description Not all sessions were read: every sum is a lower bound. */
            capped: boolean;
            /** Format: int64 */
            days: number;
            groups: components["schemas"]["UsageSum"][];
            /** Format: double */
            since: number;
            tz: string;
            /** Format: double */
            until: number;
        };
        UsageSum: {
            /** @description Day as 2006-01-02, project or model; null for sessions without one. */
            key: string | null;
            /** Format: int64 */
            priced_n: number;
            /**
             * Format: double
             * @description Spend of the requests with a known price.
             */
            priced_usd: number;
            /**
             * Format: int64
             * @description Sessions started.
             */
            sessions: number;
            /**
             * Format: int64
             * @description Requests without a known price; their cost is unknown, not 0.
             */
            unpriced_n: number;
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
    getReadiness: {
        parameters: {
            query?: {
                /** @description Milliseconds to wait for the store. */
                timeout_ms?: number;
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
                    "application/json": components["schemas"]["ReadinessBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    streamFleet: {
        parameters: {
            query?: never;
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
                    "text/event-stream": string;
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Only files of this program. */
                tool?: string;
                /** @description Files to return. */
                limit?: number;
                /** @description Files to skip. */
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
                    "application/json": components["schemas"]["ImportsBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listInvocations: {
        parameters: {
            query?: {
                /** @description Exact skill. */
                skill?: string;
                /** @description Exact plugin. */
                plugin?: string;
                /** @description Exact status. */
                status?: string;
                /** @description Rows to return. */
                limit?: number;
                /** @description Matching rows to skip. */
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
                    "application/json": components["schemas"]["InvocationsBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getInvocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["InvocationDetail"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listPods: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["FleetBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    cancelPod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodPlainBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    compactPod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodPlainBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    notifyPod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodNotifyBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    pausePod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodPlainBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    resumePod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodPlainBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    runPod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PodRunBody"];
            };
        };
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodRefusalBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["ProjectsBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
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
                    "application/json": components["schemas"]["ProjectDetail"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Page number, from 1. */
                page?: number;
                /** @description Rows a page. */
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
                /** @description recent is by last update; cost puts the highest reported cost first and unreported cost last. */
                sort?: "recent" | "cost";
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
                    "application/json": components["schemas"]["RunsBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listRunProjects: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["ProjectCountsBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: {
                /** @description Messages a branch. */
                message_limit?: number;
                /** @description Cursor of an older window. */
                message_cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getRunFile: {
        parameters: {
            query: {
                /** @description File below the artifact folder; relative, or absolute inside it. */
                path: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["FileBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Rows to return. */
                limit?: number;
                /** @description Matching rows to skip. */
                offset?: number;
                /** @description recent is by last update; cost puts the highest reported cost first and unreported cost last. */
                sort?: "recent" | "cost";
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
                    "application/json": components["schemas"]["SessionsBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: {
                /** @description Messages a branch, clamped to 1..1000. */
                message_limit?: number;
                /** @description Newest messages to skip; ignored with a cursor. */
                message_offset?: number;
                /** @description Cursor of an older window. */
                message_cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["SessionDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    renameSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenamedBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getEntries: {
        parameters: {
            query?: {
                /** @description Entry in the middle of the window. */
                around?: string;
                /** @description Entry behind the window. */
                before?: string;
                /** @description Entry in front of the window. */
                after?: string;
                /** @description Place of the window's first entry, from 0. */
                from?: number;
                /** @description Most entries of the window. */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["EntriesBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exportSession: {
        parameters: {
            query?: {
                /** @description jsonl: one entry a line; md: Markdown for reading. */
                format?: "jsonl" | "md";
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/jsonl": string;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["LineageBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    searchSession: {
        parameters: {
            query: {
                /** @description Text to look for, ignoring case; at most 1,024 bytes. */
                q: string;
                /** @description Entry after which to look; the beginning without it. */
                after?: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "application/json": components["schemas"]["SearchBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    streamSession: {
        parameters: {
            query?: {
                /** @description The id of the last frame received. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
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
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    addTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagsBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    removeTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tag: string;
            };
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
                    "application/json": components["schemas"]["TagsBody"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Days up to and including today. */
                days?: number;
                /** @description IANA zone in which days begin. */
                tz?: string;
                /** @description What is summed up. */
                by?: "day" | "project" | "model";
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
                    "application/json": components["schemas"]["UsageBody"];
                };
            };
            /** @description A parameter or the body cannot be used. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationBody"] | components["schemas"]["ErrorBody"];
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
            /** @description The store cannot answer now; see the detail. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["HealthBody"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
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
                    "text/plain": string;
                };
            };
        };
    };
    openapiListingV2: {
        parameters: {
            query?: never;
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
                    "application/json": unknown;
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
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
                    "application/json": unknown;
                };
            };
        };
    };
}
