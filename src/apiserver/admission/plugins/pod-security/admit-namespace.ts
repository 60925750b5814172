import { type Namespace, type Pod, pods } from "#/api/core/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { invalid } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { Admitted } from "../../base/admission-plugin.ts";
import { listObjects } from "../../base/find-object.ts";
import type { SecurityConfiguration } from "./security-configuration.ts";
import {
  isEquivalent,
  isPrivileged,
  policyFromLabels,
  prefix,
  type SecurityPolicy,
} from "./security-policy.ts";
import {
  formatReasons,
  formatStandard,
  isStricter,
  type Standard,
  violationsOf,
} from "./standard.ts";

/** Limit of pods that are checked when a namespace gets stricter (count): more would delay the request. */
const podsChecked = 3000;

/** Labels must be valid; stricter ones cause warnings about pods that violate them. */
export function admitNamespace(
  attributes: Admitted<Namespace>,
  configuration: SecurityConfiguration,
  registry: Registry,
): void {
  const { object, oldObject, kind, name, operation, namespace } = attributes;
  const labels = object.metadata.labels ?? {};
  const { policy, errors } = policyFromLabels(labels, configuration.defaults);
  const exempt = configuration.exemptions.namespaces.has(namespace);
  if (operation === "CREATE") {
    if (errors.length > 0) throw invalid(kind, name, errors);
    if (exempt) warnOfExemption(attributes, policy, configuration);
    return;
  }
  const before = policyFromLabels(oldObject?.metadata.labels ?? {}, configuration.defaults);
  if (errors.length > 0 && !deepEqual(errors, before.errors)) throw invalid(kind, name, errors);
  if (!getsStricter(policy.enforce, before.policy.enforce)) return;
  if (exempt) {
    warnOfExemption(attributes, policy, configuration);
    return;
  }
  const own = [...listObjects(registry, pods, object.metadata.name ?? "")];
  for (const warning of warningsAbout(own, policy.enforce, attributes, configuration)) {
    attributes.warn(warning);
  }
}

function getsStricter(next: Standard, old: Standard): boolean {
  if (next.level === old.level && next.minor === old.minor) return false;
  if (next.level === "privileged") return false;
  return next.minor !== old.minor || isStricter(next.level, old.level);
}

function warnOfExemption(
  { object, warn }: Admitted<Namespace>,
  policy: SecurityPolicy,
  { defaults }: SecurityConfiguration,
): void {
  if (isPrivileged(policy) || isEquivalent(policy, defaults)) return;
  const { name = "", labels = {} } = object.metadata;
  const ignored = (["enforce", "audit", "warn"] as const)
    .filter((mode) => policy[mode].level !== "privileged")
    .filter((mode) => prefix + mode in labels || `${prefix}${mode}-version` in labels)
    .map((mode) => `${mode}=${formatStandard(policy[mode])}`)
    .join(", ");
  warn(
    `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${ignored}) will be ignored`,
  );
}

function warningsAbout(
  list: readonly Decoded<Pod>[],
  enforce: Standard,
  { object }: Admitted<Namespace>,
  configuration: SecurityConfiguration,
): string[] {
  const ordered = inOrderOfInterest(list, configuration);
  const checked = ordered.slice(0, podsChecked);
  const found = new Map<string, string[]>();
  for (const { metadata, spec } of checked) {
    const violations = violationsOf(enforce, metadata, spec);
    if (violations.length === 0) continue;
    const text = formatReasons(violations);
    const names = found.get(text) ?? [];
    names.push(metadata.name ?? "");
    found.set(text, names);
  }
  const warnings: string[] = [];
  if (checked.length < ordered.length) {
    const share = `${checked.length} of ${ordered.length}`;
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${share} existing pods`,
    );
  }
  if (found.size > 0) {
    const namespace = goQuote(object.metadata.name ?? "");
    const standard = goQuote(formatStandard(enforce));
    warnings.push(
      `existing pods in namespace ${namespace} violate the new PodSecurity enforce level ${standard}`,
    );
  }
  return [
    ...warnings,
    ...Array.from(found, ([text, names]) => `${subject(names)}: ${text}`).sort(),
  ];
}

/** The name of the first of some pods, and the number of others. */
function subject(names: string[]): string {
  const [first = "", ...others] = names.sort();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
}

/** One pod of each controller first: its others are the same. */
function inOrderOfInterest(
  list: readonly Decoded<Pod>[],
  { exemptions }: SecurityConfiguration,
): Decoded<Pod>[] {
  const seen = new Set<string>();
  const first: Decoded<Pod>[] = [];
  const rest: Decoded<Pod>[] = [];
  for (const pod of list) {
    const { runtimeClassName } = pod.spec;
    if (runtimeClassName && exemptions.runtimeClasses.has(runtimeClassName)) continue;
    const uid = findControllerReference(pod)?.uid;
    (uid !== undefined && seen.has(uid) ? rest : first).push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...rest];
}
