import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { Boundary } from "./app/Boundary";
import { opened } from "./app/parts";
import { readPlace } from "./app/place";
import { applyTheme, readTheme } from "./app/theme";
import "./app/tokens.css";
import "./app/layout.css";
import "./app/overview.css";
import "./app/list.css";
import "./app/history.css";
import "./app/filters.css";
import "./app/fleet.css";
import "./app/pod.css";
import "./app/session.css";
import "./app/edits.css";
import { redeem, takeCode } from "./features/access/api/exchange";
import { onAsked, readAsked } from "./lib/http/token";
import { ApiError } from "./lib/problem/problem";

applyTheme(readTheme());

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is an answer: only a daemon that did not answer is asked again.
      retry: (failures, error) => error instanceof ApiError && error.unreachable && failures < 1,
      retryDelay: 500,
      // The daemon is on this machine: what the browser thinks of the network
      // does not matter.
      networkMode: "always",
      refetchOnWindowFocus: true,
      staleTime: 2_000,
    },
  },
});

// A token that came in lets through what was refused without it.
onAsked(() => {
  if (readAsked().state === "no") void queries.refetchQueries({ predicate: (q) => q.state.status === "error" });
});

async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  // What the address opens need not wait for the rest.
  const { selected, pod } = readPlace(window.location.search, window.location.pathname);
  if (selected !== null || pod !== null) void opened.prepare();
  // The code first: what is asked for before it would be refused. One that is
  // used or late is said; Studio asks for the token when it needs it.
  const linkSpent = await redeem(takeCode(window.location, window.history));
  createRoot(root).render(
    <StrictMode>
      <Boundary>
        <QueryClientProvider client={queries}>
          <App linkSpent={linkSpent} />
        </QueryClientProvider>
      </Boundary>
    </StrictMode>,
  );
  // A row that is pressed later opens at once.
  void opened.prepare();
}

void start();
