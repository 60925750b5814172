import type { Exchange } from "./exchange.ts";

/** Limit of a path in the log (characters): a client chooses its length. */
const shownPath = 200;

/** A request as the log names it. */
export function describeRequest({
  method,
  path,
  user,
}: Pick<Exchange, "method" | "path" | "user">): Readonly<Record<string, unknown>> {
  const shown = path.length > shownPath ? `${path.slice(0, shownPath)}…` : path;
  return { method, path: shown, user: user?.name ?? "" };
}
