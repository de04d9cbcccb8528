import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The build is committed and must be the same bytes on every machine: hashed
// names, no timestamps, no inlined assets (the page's CSP allows no data: for
// scripts and styles).
export default defineConfig({
  plugins: [react()],
  base: "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765", "/health": "http://127.0.0.1:8765" } },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], env: { TZ: "UTC" } },
});
