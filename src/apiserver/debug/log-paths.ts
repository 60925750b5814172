import { methodNotAllowed } from "#/machinery/meta/status-error.ts";
import { readLogFile } from "#/std/log/log-files.ts";
import type { Paths } from "../http/paths.ts";
import { type Handler, type Sink, textReply } from "../model/exchange.ts";

const root = "/logs";

/** Serves the files of /var/log at /logs (--enable-logs-handler). Upstream: pkg/routes/logs.go. */
export function addLogFiles(paths: Paths, directory?: string): void {
  const show: Handler = async ({ method, path }) => {
    if (method !== "GET") throw methodNotAllowed();
    const name = decoded(path.slice(root.length));
    if (name === undefined) return textReply(400, "400 Bad Request");
    const file = await readLogFile(name, directory);
    if (!file) return textReply(404, "404 page not found\n");
    return {
      status: 200,
      headers: { "content-type": file.contentType },
      body: { type: "stream", write: (sink) => copy(file.body, sink) },
    };
  };
  paths.addUnlisted(root, show);
  paths.addPrefix(`${root}/`, show);
}

/** Undefined for an invalid percent-encoding. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function copy(pieces: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  for await (const piece of pieces) {
    if (!sink.write(piece)) await sink.drained();
    if (sink.signal.aborted) return;
  }
}
