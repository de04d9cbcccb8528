import { describe, expect, it } from "vitest";
import { runsQuery } from "../api/runs";
import { filtered, queryOf, readFilter, statuses, unfiltered, writeFilter, type RunFilter } from "./filter";

function read(search: string): RunFilter {
  return readFilter(new URLSearchParams(search));
}

function write(filter: RunFilter): string {
  const q = new URLSearchParams();
  writeFilter(q, filter);
  return q.toString();
}

describe("a filter in the address", () => {
  it.each([
    "",
    "q=login",
    "status=timed+out",
    "kind=fanout",
    "project=a%2Fb",
    "project_null=true",
    "playbook=nightly-docs",
    "tag=a&tag=b",
    "sort=cost",
    "list=window",
    "q=x&status=failed&kind=agent&project=shop&playbook=p&tag=t&sort=cost&list=window",
  ])("%s is read and written unchanged", (text) => expect(write(read(text))).toBe(text));

  it.each([
    ["status=bogus", ""],
    ["kind=engine", ""],
    ["sort=size", ""],
    ["sort=recent", ""],
    ["list=v1", ""],
    ["list=window&cursor=lc1.a.b.c", "list=window"],
    ["q=&project=&tag=&playbook=", ""],
    ["project_null=1", ""],
    ["cursor=abc&page=3", ""],
    ["status=bogus&status=failed", "status=failed"],
    ["tag=a&tag=a&tag=", "tag=a"],
    ["project_null=true&project=shop", "project_null=true"],
  ])("%s is cut to %s: what is not known is not sent", (text, rest) => expect(write(read(text))).toBe(rest));
});

describe("a filter for the server", () => {
  it("says every stored word of a status", () => {
    expect(queryOf({ status: "completed", kind: "play", search: "x" })).toEqual({ status: statuses.completed, kind: ["play"], search: "x" });
  });
  it("is nothing when nothing is asked", () => expect(queryOf({})).toEqual({}));
  it("says nothing of how the list is shown", () => expect(queryOf({ list: "window", sort: "cost" })).toEqual({ sort: "cost" }));
  it("repeats names, leaves out what is unset, and lets no project win", () => {
    expect(runsQuery({ status: ["failed", "error"], kind: ["agent"], tag: ["a", "b"], playbook: "p", project: "x", project_null: true, search: "a b", sort: "cost" }, 3, 200)).toBe(
      "page=3&per_page=200&search=a+b&status=failed&status=error&kind=agent&project_null=true&playbook=p&tag=a&tag=b&sort=cost",
    );
    expect(runsQuery({ search: "", project: "", sort: "recent" }, 1, 20)).toBe("page=1&per_page=20");
    expect(runsQuery({ project: "shop" }, 1, 20)).toBe("page=1&per_page=20&project=shop");
  });
});

describe("filtered", () => {
  it("is what leaves something out; an order leaves out nothing", () => {
    expect([filtered({}), filtered({ sort: "cost", list: "window" }), filtered({ search: "x" }), filtered({ tag: ["t"] })]).toEqual([false, false, true, true]);
  });
  it("is undone without another order or listing", () => {
    expect(unfiltered({ search: "x", tag: ["t"], sort: "cost", list: "window" })).toEqual({ sort: "cost", list: "window" });
    expect(unfiltered({ search: "x" })).toEqual({});
  });
});
