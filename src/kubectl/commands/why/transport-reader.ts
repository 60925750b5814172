import type { Transport } from "#/client/transport/transport.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Reader } from "#/why/read/reader.ts";
import { connectToPort } from "./connect-to-port.ts";

/** Limit of the time (ms) of one read: a log or an aggregated API may never answer. */
const timeoutMs = 10_000;

/** The API server's, if its proxy cannot connect. */
const unreachedStatus = 503;

/** Reads over a connection to the API server. */
export const transportReader = (transport: Transport, clock: Clock): Reader => ({
  connect: (path, signal) => connectToPort(transport, path, { clock, signal }),
  async reach(path, signal) {
    const headers = { accept: "*/*" };
    const request = { method: "GET", path, headers, timeoutMs, ...(signal ? { signal } : {}) };
    const { status, body } = await transport.request(request);
    if (status !== unreachedStatus) return "";
    return typeof body === "string" ? body : JSON.stringify(body);
  },
  async read(path, as, signal) {
    const [plain = "", query = ""] = path.split("?");
    const accept = as === "json" ? "application/json" : "*/*";
    const { status, body } = await transport.request({
      method: "GET",
      path: plain,
      query: new URLSearchParams(query),
      headers: { accept },
      timeoutMs,
      ...(signal ? { signal } : {}),
    });
    return {
      status,
      body: as === "text" && status < 300 && typeof body !== "string" ? JSON.stringify(body) : body,
    };
  },
});
