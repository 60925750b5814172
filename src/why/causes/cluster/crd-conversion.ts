import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { cause } from "../../base/cause.ts";
import { serviceProblem } from "../../facts/services/service-problem.ts";

/** Versions that only a webhook converts, which cannot be called. */
export const crdConversion = cause<CustomResourceDefinition>({
  name: "conversion-webhook-without-server",
  layer: "admission",
  of: [customResourceDefinitions],
  find({ spec }, view) {
    const { strategy, webhook } = spec?.conversion ?? {};
    const target = webhook?.clientConfig?.service;
    const problem = strategy === "Webhook" && target ? serviceProblem(target, view) : undefined;
    if (!target || !problem) return undefined;
    return {
      sentence: `its conversion webhook cannot be called, as its Service ${target.namespace}/${target.name} ${problem}: objects cannot be read or written in other versions than the stored one`,
      fix: [
        `kubectl -n ${target.namespace} why service/${target.name}`,
        "# start what serves the webhook",
      ],
    };
  },
});
