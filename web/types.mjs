// Writes src/generated from the daemon's API documents, or with --check fails
// when a file is not what its document gives.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

// The two versions of the listings share their paths, so each has a document.
const documents = [
  { from: "../studio/testdata/openapi.json", to: "src/generated/studio.ts" },
  { from: "../studio/testdata/openapi-listing-v2.json", to: "src/generated/listing.ts" },
];

const header = "// Code generated from the API document by npm run types; DO NOT EDIT.\n\n";

for (const { from, to } of documents) {
  const fresh = header + astToString(await openapiTS(new URL(from, import.meta.url), { silent: true }));
  const file = new URL(to, import.meta.url);
  if (!process.argv.includes("--check")) {
    await writeFile(file, fresh);
    continue;
  }
  const committed = await readFile(file, "utf8").catch(() => "");
  if (committed !== fresh) {
    console.error(`${fileURLToPath(file)} is not what the API document gives; run npm run types and commit it`);
    process.exitCode = 1;
  }
}
