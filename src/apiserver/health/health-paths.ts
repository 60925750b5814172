import {
  answerCheck,
  answerChecks,
  type HealthCheck,
  type OnFailure,
} from "#/std/metrics/health.ts";
import type { HealthMetrics } from "#/std/metrics/health-metrics.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply, textReply } from "../model/exchange.ts";

/** The endpoints: /livez for whether to restart the server, /readyz for whether to send it requests. */
interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/** Serves /healthz, /livez and /readyz, and each check below them; results are counted. */
export function addHealth(
  paths: Paths,
  checks: HealthChecks,
  slis: HealthMetrics,
  onFailure: OnFailure,
): void {
  for (const [name, list] of Object.entries(checks) as [string, readonly HealthCheck[]][]) {
    const counted = slis.counted(name, list);
    paths.add(`/${name}`, async ({ query }) => {
      const { status, text } = await answerChecks(name, counted, query, onFailure);
      return textReply(status, text);
    });
    for (const check of list) {
      paths.add(`/${name}/${check.name}`, async () => {
        const { status, text } = await answerCheck(check, onFailure);
        const type = "text/plain; charset=utf-8";
        return status === 200
          ? bytesReply(status, type, Buffer.from(text))
          : textReply(status, text);
      });
    }
  }
}
