import path from "node:path";
import { expect, it } from "vitest";
import { listed, rowOf, useBrowser } from "./browser";
import { startStudio } from "./studio";

const { open } = useBrowser();

/** The picture of the README: npm run screenshot writes it. */
const picture = path.resolve(import.meta.dirname, "../../docs/studio.png");

it("the page is photographed with a session open", async () => {
  const studio = await startStudio();
  try {
    const { page } = await open({ colorScheme: "light" });
    await page.goto(studio.url);
    // The font that most machines have by one name or another.
    await page.evaluate(() => {
      document.documentElement.style.setProperty("--sans", '"Liberation Sans", Arial, sans-serif');
      document.documentElement.style.setProperty("--mono", '"Liberation Mono", "DejaVu Sans Mono", monospace');
    });
    await listed(page);
    await rowOf(page, "fix the flaky login test").click();
    await page.getByRole("cell", { name: "1 failure in 40 runs" }).waitFor();
    await page.locator("details.tool > summary", { hasText: "Edit" }).click();
    await page.mouse.move(1430, 890);
    await page.screenshot({ path: picture, animations: "disabled" });
    expect(page.url()).toContain("?s=");
  } finally {
    await studio.stop();
  }
});
