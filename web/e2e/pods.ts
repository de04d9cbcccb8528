import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

/** What the rehearsed model answers. The sleep is ended by whoever stops the run. */
export const script = `
[[actor]]
name = "unlucky"
user = "unlucky"

[[reply]]
actor = "unlucky"
when = { offers = "write_summary" }
fault = { status = 400, message = "no summary today" }

[[reply]]
when = { offers = "write_summary", last = "user" }
[[reply.tool]]
name = "write_summary"
arguments = { text = "The tests were looked at." }

[[reply]]
when = { after = "write_summary" }
text = "It is written."

[[reply]]
when = { user = "wait", last = "user" }
text = "I wait."
[[reply.tool]]
name = "Bash"
arguments = { command = "sleep 600" }

[[reply]]
when = { user = "think", last = "user" }
text = "Now I know."
pace = { first = "600s" }

[[reply]]
when = { user = "both", last = "user" }
[[reply.tool]]
name = "Bash"
arguments = { command = "sleep 600" }
[[reply.tool]]
name = "Bash"
arguments = { command = "echo never" }

[[reply]]
when = { user = "fail", last = "user" }
text = "It works now."
fault = { status = 400, message = "no such luck", times = 1 }

[[reply]]
default = true
text = "Noted: {{user}}"
`;

/** A folder of its own with pods in it, a model that is rehearsed, and a store. */
export interface Crew {
  home: string;
  /** Starts a pod and waits until it listens. */
  pod: (name: string, options?: { args?: string[]; dir?: string }) => Promise<ChildProcess>;
  /** Runs a command of podium in this home, and gives what it printed. */
  podium: (...args: string[]) => Promise<string>;
  /** Ends what still lives, and the folder. */
  disband: () => Promise<void>;
}

/** Makes a crew; home is a folder to use instead of a new one. */
export async function muster(home = mkdtempSync(path.join(tmpdir(), "pd-")), reply = script): Promise<Crew> {
  const started: ChildProcess[] = [];
  const env = { PODIUM_HOME: home, HOME: home, PATH: process.env["PATH"] ?? "" };
  const launch = (cwd: string, ...args: string[]) => {
    const child = spawn(inject("podium"), args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    return child;
  };
  writeFileSync(path.join(home, "script.toml"), reply);
  const model = launch(home, "rehearse", "script.toml");
  const url = await printed(model, /(http:\/\/\S+)/);
  return {
    home,
    pod: async (name, { args = [], dir = name } = {}) => {
      const folder = path.join(home, "work", dir);
      mkdirSync(folder, { recursive: true });
      const child = launch(folder, "pod", "--name", name, "--provider", "openai-chat", "--base-url", `${url}/v1`, "--model", "any", "--allow-bash", ...args);
      await printed(child, /msg=(listening)/);
      return child;
    },
    // A pod that ends has to be waited for here, so this may not stand still.
    podium: async (...args) => (await promisify(execFile)(inject("podium"), args, { env, encoding: "utf8" })).stdout,
    disband: async () => {
      // The model last: a pod that ends may still ask it.
      for (const child of started.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const gone = once(child, "exit");
        child.kill("SIGTERM");
        await gone;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Waits until a process prints what a pattern looks for. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (part: string) => {
      text += part;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.setEncoding("utf8").on("data", read);
    child.stderr?.setEncoding("utf8").on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`podium ended with ${code}: ${text}`)));
  });
}
