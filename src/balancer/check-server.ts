import type { Agent } from "node:http";
import { request } from "node:https";

/** The result of a check; "silent" for a server that has not answered in time. */
type Health = "up" | "down" | "silent";

/**
 * Asks a server whether it works. Any answer shows that it runs; one of /readyz also that its store does.
 */
export function checkServer(
  agent: Agent,
  address: string,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): Promise<Health> {
  return new Promise((resolve) => {
    const call = request(new URL(path, address), { agent, method: "GET" });
    const signal = AbortSignal.timeout(timeoutMs);
    const late = (): void => {
      resolve("silent");
      call.destroy();
    };
    signal.addEventListener("abort", late, { once: true });
    call.once("response", (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      response.once("close", () => signal.removeEventListener("abort", late));
      resolve(statusCode < 500 ? "up" : "down");
    });
    call.once("error", () => {
      signal.removeEventListener("abort", late);
      resolve("down");
    });
    call.end();
  });
}
