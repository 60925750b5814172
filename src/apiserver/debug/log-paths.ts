import { methodNotAllowed } from "#/machinery/meta/status-error.ts";
import { readLogFile } from "#/std/log/log-files.ts";
import type { Paths } from "../http/paths.ts";
import { type Handler, type Sink, textReply } from "../model/exchange.ts";

const root = "/logs";

/** Serves the files of /var/log at /logs (--enable-logs-handler). Upstream: pkg/routes/logs.go. */
export function addLogFiles(paths: Paths, directory?: string): void {
  const show: Handler = async ({ method, path }) => {
    if (method !== "GET") throw methodNotAllowed();
    const file = await readLogFile(path.slice(root.length), directory);
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

async function copy(pieces: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  for await (const piece of pieces) {
    if (!sink.write(piece)) await sink.drained();
    if (sink.signal.aborted) return;
  }
}
