import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { inject } from "vitest";

/** A running `podium studio`. */
export interface Studio {
  /** The page's address without a code: http://127.0.0.1:PORT/ */
  url: string;
  /** The link that was printed, with its one-time code. */
  link: string;
  port: number;
  stop: () => Promise<void>;
}

export interface StudioOptions {
  home?: string;
  /** Listens here instead of where the system chooses. */
  port?: number;
  /** A configured token: then reading needs it too. */
  token?: string;
  /** The configured store: a file or a server's URL. */
  store?: string;
}

/** Starts the daemon and waits until it says where it is. */
export async function startStudio({ home = inject("home"), port = 0, token, store }: StudioOptions = {}): Promise<Studio> {
  const env: Record<string, string> = { PODIUM_HOME: home, HOME: home, PATH: process.env["PATH"] ?? "" };
  if (token !== undefined) env["PODIUM_STUDIO_AUTH_TOKEN"] = token;
  if (store !== undefined) env["PODIUM_STATE_DB_URL"] = store;
  const child = spawn(inject("podium"), ["studio", "--listen", `127.0.0.1:${port}`], { env, stdio: ["ignore", "ignore", "pipe"] });
  const link = await printedLink(child);
  const url = new URL("/", link);
  return {
    url: url.href,
    link,
    port: Number(url.port),
    stop: async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGINT");
      await gone;
    },
  };
}

function printedLink(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const found = /studio is at (\S+)/.exec(text);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`podium studio ended with ${code}: ${text}`)));
  });
}
