import type { ProviderLogin } from "#/console/files/console-files.ts";
import {
  bytesReply,
  type Exchange,
  type Filter,
  type Handler,
  header,
  type Reply,
} from "../model/exchange.ts";

/** The beginning of the console's paths; which of them exist, its module knows. */
const prefix = "/console";

/**
 * Serves the files of the web console below /console/, to anyone: they are the same in every cluster and contain nothing
 * of it. What the page shows, it asks the API for, as its user. Its modules are loaded at the first request for it.
 */
export function serveConsole(login?: ProviderLogin): Filter {
  return function serveConsoleFilter(exchange, next) {
    return exchange.path.startsWith(prefix) ? answer(exchange, next, login) : next(exchange);
  };
}

async function answer(
  exchange: Exchange,
  next: Handler,
  login: ProviderLogin | undefined,
): Promise<Reply> {
  const { answerConsole } = await import("#/console/files/console-files.ts");
  const { method, path } = exchange;
  const acceptEncoding = header(exchange, "accept-encoding") ?? "";
  const reply = await answerConsole({ method, path, acceptEncoding, login });
  if (reply === undefined) return next(exchange);
  const { "content-type": type = "", ...headers } = reply.headers;
  return bytesReply(reply.status, type, reply.body, headers);
}
