import type {
  MatchResources,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from "#/api/admissionregistration/v1.ts";

/** Upstream: pkg/apis/admissionregistration/v1/defaults.go. */

const defaultTimeoutSeconds = 10;
const defaultPort = 443;

/** Sets the defaults of a webhook. */
export function setWebhookDefaults(webhook: ValidatingWebhook | MutatingWebhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= defaultTimeoutSeconds;
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= defaultPort;
  for (const rule of webhook.rules ?? []) setRuleDefaults(rule);
}

/** Sets the defaults of the match constraints of a policy or binding. */
export function setMatchDefaults(resources: MatchResources | undefined): void {
  if (!resources) return;
  resources.matchPolicy ??= "Equivalent";
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  for (const rule of resources.resourceRules ?? []) setRuleDefaults(rule);
  for (const rule of resources.excludeResourceRules ?? []) setRuleDefaults(rule);
}

function setRuleDefaults(rule: RuleWithOperations): void {
  rule.scope ??= "*";
}
