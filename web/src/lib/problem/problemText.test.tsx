import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { ProblemText } from "./ProblemText";

it.each([
  ["run `podium store migrate`; then `podium studio`.", "run <code>podium store migrate</code>; then <code>podium studio</code>."],
  ["a lone ` stays.", "a lone ` stays."],
  ["`<img src=x>`", "<code>&lt;img src=x&gt;</code>"],
  ["", ""],
])("words of a problem: %j", (text, html) => expect(render(<ProblemText text={text} />).container.innerHTML).toBe(html));
