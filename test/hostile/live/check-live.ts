import { request } from "node:https";
import { ApiServerProcess, type HttpAnswer } from "../../faults/api-server-process.ts";
import { type LiveInput, liveInput, patched } from "./live-input.ts";

/** Requests under way at once (count). */
const parallel = 8;

/**
 * Whether upstream's server fails as well: apply and strategic merge report a value of a wrong shape with 500, the
 * latter without a reason. An error that no code expects has the reason InternalError.
 */
function isAsUpstream({ type }: LiveInput, text: string): boolean {
  if (type.includes("apply")) {
    return /failed to create (typed patch|manager for existing fields) object|unable to convert/.test(
      text,
    );
  }
  return type.includes("strategic") && !text.includes('"reason"');
}

export interface LiveResult {
  readonly problems: readonly string[];
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** Starts a server and an object to patch. */
export async function startTarget(): Promise<ApiServerProcess> {
  const server = await ApiServerProcess.start();
  const { status, text } = await server.send(
    "POST",
    "/api/v1/namespaces/default/services",
    patched,
  );
  if (status === 201) return server;
  await server[Symbol.asyncDispose]();
  throw new Error(text);
}

/** Sends the inputs of a seed. Each must be answered, and not with a failure of the server. */
export async function checkLive(
  server: ApiServerProcess,
  seed: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<LiveResult> {
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to && problems.length < 3) {
      const index = next++;
      const input = liveInput(seed, index);
      const replay = `node test/hostile/run-live.ts --seed ${seed} --input ${index}`;
      try {
        const { status, text } = await send(server, input);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status < 500 || isAsUpstream(input, text)) continue;
        problems.push(`${replay}: ${status} ${text.slice(0, 500)}`);
      } catch (error) {
        problems.push(`${replay}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if ((await server.send("GET", "/readyz")).status !== 200) problems.push("it is not ready");
  return { problems, statuses };
}

export function send(server: ApiServerProcess, input: LiveInput): Promise<HttpAnswer> {
  const { method, path, type, body } = input;
  const headers = {
    authorization: "Bearer token",
    "content-type": type,
    "content-length": body.length,
  };
  const to = { host: "127.0.0.1", port: server.port, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method, path, headers }, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
