import type { Reply } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

const streams: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"]);
const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * Whether a request may last as long as the client likes: watches and streams. They count neither as in flight nor
 * against a time limit. Upstream: cmd/kube-apiserver/app/options/completion.go.
 */
export function isLongRunning({ verb, subresource, path }: RequestInfo): boolean {
  return (
    verb === "watch" ||
    verb === "proxy" ||
    streams.has(subresource) ||
    path.startsWith("/debug/pprof/")
  );
}

/** Whether a request only reads, by its verb. */
export const isReadOnly = ({ verb }: RequestInfo): boolean => readVerbs.has(verb);

/** The reply, with a callback when all of it is sent; a complete one counts as sent. */
export function whenSent(reply: Reply, end: () => void): Reply {
  if (reply.body.type !== "stream") {
    end();
    return reply;
  }
  const { write } = reply.body;
  return { ...reply, body: { type: "stream", write: (sink) => write(sink).finally(end) } };
}
