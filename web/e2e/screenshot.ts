import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, inject, it } from "vitest";
import { listed, rowOf, useBrowser } from "./browser";
import { muster } from "./pods";
import { startStudio } from "./studio";

const { open } = useBrowser();

/** The picture of the README: npm run screenshot writes it. */
const picture = path.resolve(import.meta.dirname, "../../docs/studio.png");

/** Work that goes on while it is photographed, one pod of each kind. */
const script = `
[[reply]]
when = { user = "flaky", last = "user" }
text = "The clock is read twice. I look at the test."
usage = { input = 84211, output = 1204 }
[[reply.tool]]
name = "Bash"
arguments = { command = "go test ./login -run Flaky -count 100 & sleep 600" }

[[reply]]
when = { user = "review", last = "user" }
text = "I read what changed."
usage = { input = 41870, output = 903 }
[[reply.tool]]
name = "Bash"
arguments = { command = "sleep 600" }

[[reply]]
when = { user = "billing", last = "user" }
fault = { status = 400, message = "the request is larger than this model takes" }

[[reply]]
default = true
text = "Done."
usage = { input = 12044, output = 380 }
`;

const tasks: [pod: string, task: string, doing: string][] = [
  ["login", "fix the flaky login test", "Bash"],
  ["discounts", "review the discount codes", "Bash"],
  ["billing", "move billing to the new ledger", "run failed"],
  ["cartographer", "write down where things are", "idle"],
];

it("the page is photographed with pods at work and a session open", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "pd-"));
  execFileSync(inject("seed"), ["-store", path.join(home, "state.db"), "-sessions", "20000"], { stdio: "inherit" });
  const crew = await muster(home, script);
  const studio = await startStudio({ home });
  try {
    for (const [pod] of tasks) await crew.pod(pod, { args: ["--model", "claude-sonnet-4-6"] });
    for (const [pod, task] of tasks) await crew.podium("send", pod, task);
    const { page } = await open({ colorScheme: "light" });
    await page.goto(studio.link);
    // The font that most machines have by one name or another.
    await page.evaluate(() => {
      document.documentElement.style.setProperty("--sans", '"Liberation Sans", Arial, sans-serif');
      document.documentElement.style.setProperty("--mono", '"Liberation Mono", "DejaVu Sans Mono", monospace');
    });
    await listed(page);
    for (const [pod, , doing] of tasks) await page.getByRole("region", { name: "Fleet" }).getByRole("link", { name: pod }).getByText(doing).waitFor();
    await rowOf(page, /fix the flaky login test.*completed/).click();
    await page.getByRole("cell", { name: "1 failure in 40 runs" }).waitFor();
    await page.locator("details.tool > summary", { hasText: "Edit" }).click();
    await page.mouse.move(1430, 890);
    await page.screenshot({ path: picture, animations: "disabled" });
    expect(page.url()).toContain("s=");
  } finally {
    await studio.stop();
    await crew.disband();
  }
});
