import { openPortForward } from "#/client/streaming/port-forward.ts";
import type { Transport } from "#/client/transport/transport.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Limit of the time (ms) in which a port that is closed refuses. */
const refusalMs = 700;
/** Limit of the time (ms) in which the connection to the Pod is made. */
const timeoutMs = 5000;

/** Connects to a port of a Pod through its `portforward`, and sends nothing; "" if it is not refused in time. */
export async function connectToPort(
  transport: Transport,
  path: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const [plain = "", query = ""] = path.split("?");
  const port = Number(new URLSearchParams(query).get("ports"));
  const forward = await openPortForward(transport, {
    method: "POST",
    path: plain,
    headers: { accept: "*/*" },
    timeoutMs,
    signal,
  });
  // What ends a connection that is closed on purpose is no news.
  forward.ended.catch(() => undefined);
  try {
    const { data, error } = await forward.connect(port);
    data.on("error", () => undefined).resume();
    return await Promise.race([error, clock.sleep(refusalMs, signal).then(() => "")]);
  } finally {
    forward.close();
  }
}
