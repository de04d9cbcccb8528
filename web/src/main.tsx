import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import "./app/tokens.css";
import "./app/layout.css";
import { applyTheme, readTheme } from "./app/theme";
import { ApiError } from "./lib/http/problem";

applyTheme(readTheme());

// A refusal is an answer: only a daemon that did not answer is asked again.
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => error instanceof ApiError && error.unreachable && failures < 2,
      refetchOnWindowFocus: false,
      staleTime: 2_000,
    },
  },
});

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
