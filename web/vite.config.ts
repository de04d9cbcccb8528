import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const browser = { environment: "node", globalSetup: "e2e/history.ts", fileParallelism: false, testTimeout: 60_000, hookTimeout: 120_000 } as const;

// The build is committed and must be the same bytes on every machine: hashed
// names, no timestamps, no inlined assets (the page's CSP allows no data: for
// scripts and styles).
export default defineConfig({
  plugins: [react()],
  base: "/",
  build: {
    target: "es2022",
    // The oldest browsers that know light-dark(), so that it is kept as it is.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765", "/health": "http://127.0.0.1:8765" } },
  test: {
    projects: [
      { extends: true, test: { name: "unit", environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/test/setup.ts"], testTimeout: 60_000, hookTimeout: 60_000, env: { TZ: "UTC" } } },
      // One browser and one daemon at a time: both are heavy.
      { test: { ...browser, name: "e2e", include: ["e2e/*.test.ts"] } },
      { test: { ...browser, name: "bench", include: ["e2e/bench.ts"], testTimeout: 300_000 } },
      { test: { ...browser, name: "screenshot", include: ["e2e/screenshot.ts"] } },
    ],
  },
});
