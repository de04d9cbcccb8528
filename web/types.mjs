// Writes src/generated/studio.ts from the daemon's API document, or with
// --check fails when the file is not what the document gives.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const from = new URL("../studio/testdata/openapi.json", import.meta.url);
const to = new URL("src/generated/studio.ts", import.meta.url);

const header = "// Code generated from the API document by npm run types; DO NOT EDIT.\n\n";
const fresh = header + astToString(await openapiTS(from, { silent: true }));

if (process.argv.includes("--check")) {
  const committed = await readFile(to, "utf8").catch(() => "");
  if (committed !== fresh) {
    console.error(`${fileURLToPath(to)} is not what the API document gives; run npm run types and commit it`);
    process.exit(1);
  }
} else {
  await writeFile(to, fresh);
}
