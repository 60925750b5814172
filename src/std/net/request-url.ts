import type { IncomingMessage } from "node:http";

const origin = "http://localhost";

/**
 * The URL of a request to a server, for its path and query. Whatever a client sends is one: a target that begins with
 * two slashes is a path and not a server's name, and one that can't be read is "/".
 */
export function requestUrl({ url = "/" }: Pick<IncomingMessage, "url">): URL {
  const target = url.startsWith("/") ? `${origin}${url}` : url;
  return URL.parse(target) ?? new URL(origin);
}
