import type { MaybePromise } from "../base/maybe-promise.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/server/healthz/healthz.go. */

/** One health check. The error's message is logged, not sent to the client. */
export interface HealthCheck {
  readonly name: string;
  check(): MaybePromise<void>;
}

interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

/** Called for each failed check. */
export type OnFailure = (name: string, error: unknown) => void;

/** The response for a single check. */
export async function answerCheck(check: HealthCheck, onFailure: OnFailure): Promise<HealthAnswer> {
  try {
    await check.check();
    return { status: 200, text: "ok" };
  } catch (error) {
    onFailure(check.name, error);
    return { status: 500, text: `internal server error: ${(error as Error).message}\n` };
  }
}

/**
 * The response for all checks of an endpoint (healthz, livez, readyz), with ?verbose and ?exclude.
 */
export async function answerChecks(
  endpoint: string,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  onFailure: OnFailure,
): Promise<HealthAnswer> {
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
  if (failed) return { status: 500, text: `${lines.join("")}${endpoint} check failed\n` };
  if (!query.has("verbose")) return { status: 200, text: "ok" };
  return { status: 200, text: `${lines.join("")}${endpoint} check passed\n` };
}

/** Always succeeds: a response is enough. */
export const pingCheck: HealthCheck = { name: "ping", check: () => undefined };
