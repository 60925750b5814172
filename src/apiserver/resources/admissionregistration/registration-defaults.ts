import type {
  MatchResources,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from "#/api/admissionregistration/v1.ts";

/** Upstream: pkg/apis/admissionregistration/v1/defaults.go. */

const defaultTimeoutSeconds = 10;
const defaultPort = 443;

/** Fills in what a webhook leaves out. */
export function setWebhookDefaults(webhook: ValidatingWebhook | MutatingWebhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= defaultTimeoutSeconds;
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= defaultPort;
  for (const rule of webhook.rules ?? []) setRuleDefaults(rule);
}

/** Fills in what a policy or binding leaves out of what it is about. */
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
