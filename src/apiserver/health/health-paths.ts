import type { Exchange, Reply } from "../http/exchange.ts";
import { textReply } from "../http/exchange.ts";
import type { Paths } from "../http/paths.ts";

/** One thing that must be well. The error's message goes to the log, not to the client. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<void> | void;
}

/** What each endpoint asks: /livez whether to restart the server, /readyz whether to send it requests. */
export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/**
 * Answers /healthz, /livez and /readyz, each check alone below them, with ?verbose and ?exclude.
 * Upstream: apiserver/pkg/server/healthz/healthz.go.
 */
export function addHealth(
  paths: Paths,
  checks: HealthChecks,
  onFailure: (name: string, error: unknown) => void,
): void {
  for (const [name, list] of Object.entries(checks) as [string, readonly HealthCheck[]][]) {
    paths.add(`/${name}`, (exchange) => answerAll(name, list, exchange, onFailure));
    for (const check of list) {
      paths.add(`/${name}/${check.name}`, () => answerOne(check, onFailure));
    }
  }
}

async function answerOne(
  check: HealthCheck,
  onFailure: (name: string, error: unknown) => void,
): Promise<Reply> {
  try {
    await check.check();
    return textReply(200, "ok");
  } catch (error) {
    onFailure(check.name, error);
    return textReply(500, `internal server error: ${(error as Error).message}\n`);
  }
}

async function answerAll(
  name: string,
  checks: readonly HealthCheck[],
  { query }: Exchange,
  onFailure: (name: string, error: unknown) => void,
): Promise<Reply> {
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok\n`);
      continue;
    }
    try {
      await check.check();
      lines.push(`[+]${check.name} ok\n`);
    } catch (error) {
      failed = true;
      onFailure(check.name, error);
      lines.push(`[-]${check.name} failed: reason withheld\n`);
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((item) => JSON.stringify(item)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  if (failed) return textReply(500, `${lines.join("")}${name} check failed\n`);
  if (!query.has("verbose")) return textReply(200, "ok");
  return textReply(200, `${lines.join("")}${name} check passed\n`);
}
