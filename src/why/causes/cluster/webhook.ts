import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "#/api/admissionregistration/v1.ts";
import { cause } from "../../base/cause.ts";
import { serviceProblem } from "../../facts/services/service-problem.ts";

/** A webhook that cannot be called makes the requests fail that it is asked about. */
export const webhookWithoutServer = cause<
  ValidatingWebhookConfiguration | MutatingWebhookConfiguration
>({
  name: "webhook-without-server",
  layer: "admission",
  of: [validatingWebhookConfigurations, mutatingWebhookConfigurations],
  find({ webhooks }, view) {
    for (const { name, clientConfig, failurePolicy } of webhooks ?? []) {
      const target = clientConfig.service;
      if (!target) continue;
      const why = serviceProblem(target, view);
      if (!why) continue;
      const refuses = failurePolicy !== "Ignore";
      return {
        sentence: `its webhook "${name}" cannot be called, as its Service ${target.namespace}/${target.name} ${why}: ${refuses ? "the requests that it should judge are refused" : "they pass without it (failurePolicy Ignore)"}`,
        severity: refuses ? "stuck" : "notice",
        fix: [
          `kubectl -n ${target.namespace} why service/${target.name}`,
          "# or set failurePolicy: Ignore, or delete the configuration",
        ],
      };
    }
    return undefined;
  },
});
