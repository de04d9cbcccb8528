import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Studio } from "./studio";

/** What becomes of an answer on its way: undefined lets it pass. */
export type Spoil = ((answer: IncomingMessage, body: Buffer, to: ServerResponse) => void) | undefined;

/** An address before Studio's whose answers can be spoilt by path. It ends with the test. */
export async function spoiling(studio: Studio): Promise<{ url: string; spoil: (path: RegExp, how: Spoil) => void }> {
  const spoilt = new Map<string, [RegExp, Spoil]>();
  const server = createServer((from, to) => {
    const onward = request({ host: "127.0.0.1", port: studio.port, path: from.url, method: from.method, headers: { ...from.headers, "accept-encoding": "identity" } }, (answer) => {
      const how = [...spoilt.values()].find(([path]) => path.test(from.url ?? ""))?.[1];
      if (how === undefined) {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
        return;
      }
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => how(answer, Buffer.concat(parts), to));
    });
    onward.on("error", () => to.destroy());
    from.pipe(onward);
    to.on("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, spoil: (path, how) => void spoilt.set(path.source, [path, how]) };
}

/** The connection breaks in the middle of the body. */
export function cut(answer: IncomingMessage, body: Buffer, to: ServerResponse): void {
  const { "transfer-encoding": _, ...headers } = answer.headers;
  to.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": String(body.length) });
  to.write(body.subarray(0, body.length / 2), () => to.destroy());
}

/** Another answer stands in place of Studio's. */
export function instead(status: number, type: string, text: string): NonNullable<Spoil> {
  return (_, __, to) => {
    to.writeHead(status, { "content-type": type });
    to.end(text);
  };
}
