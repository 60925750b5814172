import { access, impersonation, isConnected } from "../base/session.ts";
import { ApiFailure, apiUrl, ConnectionFailure, send } from "./api.ts";

/** Codes with which `k8ts console` closes: the status of the API server, added to this. */
const refusedCode = 4000;

/** The text of a response as it arrives. Ends with the response, and with the signal. */
export async function* textStream(path: string, options: StreamOptions): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of byteStream(path, options)) {
    yield decoder.decode(chunk, { stream: true });
  }
}

interface StreamOptions {
  readonly accept?: string;
  /** Headers of impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The bytes of a response as they arrive. */
export function byteStream(path: string, options: StreamOptions): AsyncGenerator<Uint8Array> {
  return access.value === "proxy" ? socketChunks(path, options) : bodyChunks(path, options);
}

async function* bodyChunks(path: string, options: StreamOptions): AsyncGenerator<Uint8Array> {
  const { body } = await send(path, options);
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } catch (error) {
    if (options.signal.aborted) return;
    isConnected.value = false;
    throw new ConnectionFailure((error as Error).message);
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

/** The same through a WebSocket of `k8ts console`: see its serve-stream.ts. */
async function* socketChunks(
  path: string,
  { accept = "application/json", headers = {}, signal }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const url = apiUrl("/console/stream");
  url.protocol = "ws:";
  url.search = new URLSearchParams({ ...impersonation(), ...headers, path, accept }).toString();
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const waiting: Uint8Array[] = [];
  let end: Error | "end" | undefined;
  let wake = (): void => undefined;
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    waiting.push(new Uint8Array(data));
    wake();
  };
  socket.onclose = ({ code, reason }) => {
    // A connection that the page gives up, perhaps before it stands, says nothing about the server.
    end = signal.aborted ? "end" : endOf(code, reason);
    wake();
  };
  const stop = () => socket.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (;;) {
      const next = waiting.shift();
      if (next) yield next;
      else if (end !== undefined) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", stop);
    socket.close();
  }
  if (end !== "end" && !signal.aborted) throw end;
}

function endOf(code: number, reason: string): Error | "end" {
  if (code === 1000 || code === 1005) return "end";
  const status = code - refusedCode;
  if (status >= 400 && status < 600 && status !== 502) return new ApiFailure(status, reason);
  isConnected.value = false;
  return new ConnectionFailure(reason);
}

/** The lines of a text that arrives in pieces; the last one too, if it has no end. */
export async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}
