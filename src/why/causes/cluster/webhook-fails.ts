import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "#/api/admissionregistration/v1.ts";
import { type Event, events } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { webhookProblem } from "../../facts/services/webhook-problem.ts";

/** Limit of the age (ms) of an event that explains the present. */
const freshMs = 30 * 60_000;

/** A webhook that has failed lately, as controllers report it whose creates were refused for that. */
export const webhookFails = cause<ValidatingWebhookConfiguration | MutatingWebhookConfiguration>({
  name: "webhook-fails",
  layer: "admission",
  of: [validatingWebhookConfigurations, mutatingWebhookConfigurations],
  find({ webhooks }, view) {
    const recent = (view.list(events, { fieldSelector: "reason=FailedCreate" }) ?? []).filter(
      (event) => ageMs(timeOfEvent(event), view.nowMs) < freshMs,
    );
    for (const { name } of webhooks ?? []) {
      const event = recent.find(({ message }) => message?.includes(`webhook "${name}": `));
      const problem = event?.message && webhookProblem(event.message, view);
      if (!event || !problem) continue;
      const { kind, namespace, name: about } = event.involvedObject;
      return {
        sentence: `its webhook "${name}" cannot be called, and what it should judge is refused: ${problem.why}`,
        certainty: "likely",
        evidence: [
          `${kind?.toLowerCase()}/${about} in ${namespace}: ${oneLine(event.message ?? "")}`,
        ],
        fix: ["# correct clientConfig, or what serves it, or set failurePolicy: Ignore"],
      };
    }
    return undefined;
  },
});

const timeOfEvent = ({ series, lastTimestamp, eventTime }: Event): string | undefined =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime;
