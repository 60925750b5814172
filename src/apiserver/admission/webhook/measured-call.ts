import type { Clock } from "#/std/time/clock.ts";
import type { PluginMark } from "../../model/trail.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { AdmissionMetrics, AskedHook, HookType } from "../base/admission-metrics.ts";
import { CallFailure } from "./call-failure.ts";
import type { Webhook } from "./webhook.ts";
import { WebhookRefusal } from "./webhook-refusal.ts";

/**
 * Calls a webhook and records the outcome, with the fields that it changed. A refusal is thrown as the client sees it.
 */
export async function measuredCall<T>(
  { webhook, attributes, type }: Asked,
  { metrics, clock }: { readonly metrics: AdmissionMetrics; readonly clock: Clock },
  call: (changed: (pointers: readonly string[]) => void) => Promise<T>,
): Promise<T> {
  const hook: AskedHook = { name: webhook.name, type, operation: attributes.operation };
  const startMs = clock.monotonicMs();
  const mark: PluginMark = { name: webhook.name, phase: "webhook", ms: 0 };
  try {
    const result = await call((changed) => {
      mark.changed = changed;
    });
    metrics.called(hook, 200, false, startMs);
    return result;
  } catch (error) {
    mark.failed = true;
    if (error instanceof CallFailure && webhook.ignoresFailures) {
      metrics.called(hook, error.code, false, startMs);
      metrics.failedOpen(hook);
      throw error;
    }
    const [why, code] = reasonOf(error);
    metrics.rejected(hook, why, code);
    metrics.called(hook, code, true, startMs);
    throw error instanceof WebhookRefusal ? error.refusal : error;
  } finally {
    mark.ms = clock.monotonicMs() - startMs;
    attributes.trail?.noted(mark);
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
