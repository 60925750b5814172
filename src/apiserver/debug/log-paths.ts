import { methodNotAllowed } from "#/machinery/status-error.ts";
import { readLogFile } from "#/std/log-files.ts";
import { bytesReply, type Handler, textReply } from "../http/exchange.ts";
import type { Paths } from "../http/paths.ts";

const root = "/logs";

/** Shows what is below /var/log at /logs (--enable-logs-handler). Upstream: pkg/routes/logs.go. */
export function addLogFiles(paths: Paths): void {
  const show: Handler = async ({ method, path }) => {
    if (method !== "GET") throw methodNotAllowed();
    const file = await readLogFile(decodeURIComponent(path.slice(root.length)));
    if (!file) return textReply(404, "404 page not found\n");
    return bytesReply(200, file.contentType, Buffer.from(file.body));
  };
  paths.addUnlisted(root, show);
  paths.addPrefix(`${root}/`, show);
}
