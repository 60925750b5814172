import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiServerProcess } from "../../faults/api-server-process.ts";

/** What a hostile peer does with a request. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => unknown;

const piece = Buffer.alloc(64 * 1024, "x");

/** Sends a start, then bytes without end, as fast as they are read. */
export const endless =
  (start: string, filling: Buffer = piece): Misbehave =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(start);
    const more = (): void => {
      while (!response.destroyed && response.write(filling));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };

/** Sends a start, and then nothing more: neither an end nor an error. */
export const unfinished =
  (start: string): Misbehave =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(start);
  };

/** Never answers. */
export const silent: Misbehave = () => undefined;

/** Answers with these bytes. */
export const answer =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Misbehave =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  };

export const redirect = (location: string, status = 307): Misbehave =>
  answer("", { location }, status);

/** The JSON in a request. */
// biome-ignore lint/suspicious/noExplicitAny: a test reaches into reviews of every shape.
export async function readJson(request: IncomingMessage): Promise<any> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

export interface Cost {
  readonly cpuMs: number;
  readonly grownMiB: number;
}

/** Runs an attack; returns its result, and what it has cost the server. */
export async function measureCost<T>(
  server: ApiServerProcess,
  attack: () => Promise<T>,
): Promise<{ readonly result: T; readonly cost: Cost }> {
  const [cpuMs, residentMiB] = [await server.cpuMs(), await server.residentMiB()];
  const result = await attack();
  return {
    result,
    cost: {
      cpuMs: (await server.cpuMs()) - cpuMs,
      grownMiB: (await server.residentMiB()) - residentMiB,
    },
  };
}
