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

/** Runs an attack; returns its result, and the CPU time that the server spent meanwhile. */
export async function measureCpu<T>(
  server: ApiServerProcess,
  attack: () => Promise<T>,
): Promise<{ readonly result: T; readonly cpuMs: number }> {
  const before = await server.cpuMs();
  const result = await attack();
  return { result, cpuMs: (await server.cpuMs()) - before };
}
