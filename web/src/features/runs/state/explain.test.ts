import { describe, expect, it } from "vitest";
import { ApiError } from "../../../lib/problem/problem";
import { explain } from "./explain";

const of = (status: number, code?: string, lacks?: string) => explain(new ApiError(status, "Studio's words.", code, false, lacks));

describe("explain", () => {
  it.each([
    [of(400, "listing_cursor_invalid"), "restart"],
    [of(409, "listing_cursor_restart_required"), "restart"],
    [of(409, "listing_store_order_invalid"), "pages"],
    [of(422, "listing_request_invalid"), "clear"],
    [of(422, "listing_filtered_offset_unsupported"), "clear"],
    [of(503, "listing_not_ready", "structure"), "retry"],
    [of(503), "retry"],
    [of(501), "none"],
    [of(500), "retry"],
    [of(401), "retry"],
    [of(0), "retry"],
  ])("%j: the one useful action is to %s", (explained, action) => expect(explained.action).toBe(action));

  it.each([
    ["structure", ["podium store migrate"]],
    ["identity", ["podium store rotate-identity"]],
    ["keyring", ["podium keyring status", "podium keyring rotate"]],
    ["something newer", ["podium store status", "podium keyring status"]],
    [undefined, ["podium store status", "podium keyring status"]],
  ])("a store that is not ready for want of %s names the commands", (lacks, commands) => expect(of(503, "listing_not_ready", lacks).commands).toEqual(commands));

  it("leaves what it does not know to the server's words", () => expect(of(503)).toEqual({ what: "Studio's words.", action: "retry" }));
});
