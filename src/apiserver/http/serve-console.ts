import { answerConsole } from "#/console/files/console-files.ts";
import { bytesReply, type Filter, header } from "../model/exchange.ts";

/**
 * Serves the files of the web console below /console/, to anyone: they are the same in every cluster and contain nothing
 * of it. What the page shows, it asks the API for, as its user.
 */
export function serveConsole(): Filter {
  return async function serveConsoleFilter(exchange, next) {
    const acceptEncoding = header(exchange, "accept-encoding") ?? "";
    const reply = await answerConsole({
      method: exchange.method,
      path: exchange.path,
      acceptEncoding,
    });
    if (reply === undefined) return next(exchange);
    const { "content-type": type = "", ...headers } = reply.headers;
    return bytesReply(reply.status, type, reply.body, headers);
  };
}
