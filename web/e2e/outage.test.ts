import { describe, expect, it, onTestFinished } from "vitest";
import { listed, rowOf, useBrowser } from "./browser";
import { startStudio } from "./studio";

const { open } = useBrowser();

describe("a daemon that goes away", () => {
  it("leaves the list and the session as they were, says so, and is followed when it is back", async () => {
    const studio = await startStudio();
    const { page, expectProblems } = await open();
    expectProblems(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    await page.goto(studio.url);
    await listed(page);
    await rowOf(page, "fix the flaky login test").click();
    await page.getByText("Fixed. The test now runs").waitFor();
    await studio.stop();
    await page.getByText(/Studio does not answer\. Rows as of \d\d:\d\d:\d\d\./).waitFor();
    expect(await rowOf(page, "fix the flaky login test").isVisible()).toBe(true);
    expect(await page.getByText("Fixed. The test now runs").isVisible()).toBe(true);

    // What is not there yet says so too, and offers to try again.
    await rowOf(page, "import the spring atlas").click();
    await page.getByRole("heading", { name: "The session could not be read" }).waitFor();

    const again = await startStudio({ port: studio.port });
    onTestFinished(again.stop);
    await page.getByText(/Rows as of/).waitFor({ state: "hidden" });
    await page.getByRole("region", { name: "Session", exact: true }).getByRole("button", { name: "Try again" }).click();
    await page.getByText("the run failed: the provider answered 529").waitFor();
    expect(new URL(page.url()).port).toBe(String(again.port));
  });
});
