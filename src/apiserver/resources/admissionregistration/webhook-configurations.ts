import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "#/api/admissionregistration/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { qualified } from "#/machinery/meta/status-error.ts";
import { type Decoded, type Strategy, serve } from "../../registry/strategy.ts";
import { ageColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { setWebhookDefaults } from "./registration-defaults.ts";
import {
  staticSuffixWarnings,
  validateRegistrationMeta,
  validateStaticSuffix,
} from "./registration-meta.ts";
import { type AnyWebhook, validateWebhooks } from "./webhook-validation.ts";

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Resources for which no webhook is called. Upstream: pkg/kubeapiserver/admission/exclusion/resources.go. */
const excluded = new Set([
  "selfsubjectreviews.authentication.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
]);

/**
 * The strategy that both kinds share.
 *
 * Upstream: pkg/registry/admissionregistration/{mutating,validating}webhookconfiguration.
 */
const webhookConfiguration: Strategy<Configuration> = {
  allowUnconditionalUpdate: false,
  setDefaults({ webhooks = [] }) {
    for (const webhook of webhooks) setWebhookDefaults(webhook);
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (object, old) => countGeneration(object, old, ({ webhooks }) => webhooks),
  *validate(object) {
    return [
      ...validateRegistrationMeta(object.metadata),
      ...(yield* validateWebhooks(webhooksOf(object))),
      ...validateStaticSuffix(object.metadata),
    ];
  },
  *validateUpdate(object, old) {
    return [
      ...validateRegistrationMeta(object.metadata),
      ...(yield* validateWebhooks(webhooksOf(object), webhooksOf(old))),
    ];
  },
  warnings: (object, old) => [
    ...(old ? staticSuffixWarnings(object.metadata) : []),
    ...webhooksOf(object).flatMap(exclusionWarnings),
  ],
  columns: [
    { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name ?? "" },
    { name: "Webhooks", type: "integer", cell: (object) => webhooksOf(object).length },
    ageColumn,
  ],
};

const webhooksOf = ({ webhooks = [] }: Decoded<Configuration>): readonly AnyWebhook[] =>
  webhooks as readonly AnyWebhook[];

function exclusionWarnings({ rules = [] }: AnyWebhook, index: number): string[] {
  const path = fieldPath("webhooks").index(index).child("rules");
  return rules.flatMap(({ apiGroups = [], resources = [] }, at) => {
    if (apiGroups.includes("*") || resources.includes("*")) return [];
    const named = apiGroups.flatMap((group) => resources.map((name) => qualified(name, group)));
    return [...new Set(named)]
      .filter((name) => excluded.has(name))
      .map(
        (name) =>
          `${path.index(at)}: ${name} is excluded from admission webhooks; this rule will have no effect`,
      );
  });
}

export const validatingWebhookConfiguration = serve(
  validatingWebhookConfigurations,
  webhookConfiguration as Strategy<ValidatingWebhookConfiguration>,
);

export const mutatingWebhookConfiguration = serve(mutatingWebhookConfigurations, {
  ...(webhookConfiguration as Strategy<MutatingWebhookConfiguration>),
  setDefaults({ webhooks = [] }) {
    for (const webhook of webhooks) {
      setWebhookDefaults(webhook);
      webhook.reinvocationPolicy ??= "Never";
    }
  },
});
