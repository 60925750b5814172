import type { Clock } from "#/std/time/clock.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { AdmissionMetrics, AskedHook, HookType } from "../base/admission-metrics.ts";
import { CallFailure } from "./call-failure.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookRefusal } from "./webhook-refusal.ts";

/** Calls a webhook and records the outcome. A refusal is thrown as the client sees it. */
export async function measuredCall<T>(
  { webhook, attributes, type }: Asked,
  { metrics, clock }: { readonly metrics: AdmissionMetrics; readonly clock: Clock },
  call: () => Promise<T>,
): Promise<T> {
  const hook: AskedHook = { name: webhook.name, type, operation: attributes.operation };
  const startMs = clock.monotonicMs();
  try {
    const result = await call();
    metrics.called(hook, 200, false, startMs);
    return result;
  } catch (error) {
    if (error instanceof CallFailure && webhook.ignoresFailures) {
      metrics.called(hook, error.code, false, startMs);
      metrics.failedOpen(hook);
      throw error;
    }
    const [why, code] = reasonOf(error);
    metrics.rejected(hook, why, code);
    metrics.called(hook, code, true, startMs);
    throw error instanceof WebhookRefusal ? error.refusal : error;
  }
}

interface Asked {
  readonly webhook: Webhook;
  readonly attributes: Attributes;
  readonly type: HookType;
}

function reasonOf(error: unknown) {
  if (error instanceof CallFailure) return ["calling_webhook_error", error.code] as const;
  if (error instanceof WebhookRefusal) return ["no_error", error.refusal.code] as const;
  return ["apiserver_internal_error", 0] as const;
}
