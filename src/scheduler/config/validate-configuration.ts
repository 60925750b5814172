import {
  duplicate,
  type FieldError,
  invalid,
  JsonValue,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { isExtendedResource } from "../cache/resources.ts";
import type {
  Extender,
  KubeSchedulerConfiguration,
  KubeSchedulerProfile,
  LeaderElectionConfiguration,
} from "./configuration.ts";
import type { PluginSettings } from "./plugin-settings.ts";

/** Plugins of earlier versions that were removed. */
const removedPlugins = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

/**
 * All errors of a configuration, in upstream's order.
 *
 * Upstream: pkg/scheduler/apis/config/validation/validation.go.
 */
export function validateConfiguration(
  config: KubeSchedulerConfiguration,
  known: readonly PluginSettings[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (config.clientConnection.burst < 0) {
    const path = fieldPath("clientConnection").child("burst");
    errors.push(invalid(path, config.clientConnection.burst, "must be non-negative"));
  }
  errors.push(...validateLeaderElection(config.leaderElection, fieldPath("leaderElection")));
  if (config.parallelism <= 0) {
    const path = fieldPath("parallelism");
    errors.push(invalid(path, config.parallelism, "should be an integer value greater than zero"));
  }
  errors.push(...validateProfiles(config.profiles, config.apiVersion, known));
  const percentage = fieldPath("percentageOfNodesToScore");
  errors.push(...validatePercentage(config.percentageOfNodesToScore, percentage));
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = config;
  if (initial <= 0) {
    errors.push(invalid(fieldPath("podInitialBackoffSeconds"), initial, "must be greater than 0"));
  }
  if (max < initial) {
    const text = "must be greater than or equal to PodInitialBackoffSeconds";
    errors.push(invalid(fieldPath("podMaxBackoffSeconds"), max, text));
  }
  errors.push(...validateExtenders(config.extenders ?? [], fieldPath("extenders")));
  return errors;
}

function validateLeaderElection(
  election: LeaderElectionConfiguration,
  path: FieldPath,
): FieldError[] {
  if (!election.leaderElect) return [];
  const errors: FieldError[] = [];
  for (const name of ["leaseDuration", "renewDeadline", "retryPeriod"] as const) {
    if (parseDuration(election[name]) > 0) continue;
    errors.push(invalid(path.child(name), election[name], "must be greater than zero"));
  }
  if (parseDuration(election.leaseDuration) <= parseDuration(election.renewDeadline)) {
    const at = path.child("leaseDuration");
    errors.push(invalid(at, election.renewDeadline, "must be greater than `RenewDeadline`"));
  }
  for (const name of ["resourceLock", "resourceNamespace", "resourceName"] as const) {
    if (election[name] === "") errors.push(required(path.child(name)));
  }
  if (election.resourceLock !== "leases") {
    const at = path.child("resourceLock");
    errors.push(invalid(at, election.resourceLock, 'resourceLock value must be "leases"'));
  }
  return errors;
}

function validateProfiles(
  profiles: readonly KubeSchedulerProfile[],
  apiVersion: string,
  known: readonly PluginSettings[],
): FieldError[] {
  const path = fieldPath("profiles");
  const names = profiles.map(({ schedulerName }) => schedulerName);
  const errors = profiles.flatMap((profile, index) => {
    const at = path.index(index);
    const own = validateProfile(profile, at, apiVersion, known);
    const first = names.indexOf(profile.schedulerName);
    if (first === index) return own;
    // Upstream prints the other path as a Go object.
    return [...own, duplicate(at.child("schedulerName"), new JsonValue({}))];
  });
  return [...errors, ...validateQueueSort(profiles, path)];
}

function validateProfile(
  profile: KubeSchedulerProfile,
  path: FieldPath,
  apiVersion: string,
  known: readonly PluginSettings[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (profile.schedulerName === "") errors.push(required(path.child("schedulerName")));
  const percentage = path.child("percentageOfNodesToScore");
  errors.push(...validatePercentage(profile.percentageOfNodesToScore, percentage));
  const gone = `was invalid in version "v1" (KubeSchedulerConfiguration is version "${apiVersion}")`;
  for (const [point, { enabled = [] }] of Object.entries(profile.plugins)) {
    if (point === "multiPoint") continue;
    enabled.forEach(({ name }, index) => {
      const at = path.child("plugins").child(point).child("enabled").index(index);
      if (removedPlugins.includes(name)) errors.push(invalid(at, name, gone));
    });
  }
  const seen = new Set<string>();
  profile.pluginConfig.forEach(({ name, args = {} }, index) => {
    const at = path.child("pluginConfig").index(index);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    if (removedPlugins.includes(name)) errors.push(invalid(at, name, gone));
    const rules = known.find((plugin) => plugin.name === name)?.args;
    errors.push(...(rules?.validate(args, at.child("args")) ?? []));
  });
  return errors;
}

function validatePercentage(value: number | undefined, path: FieldPath): FieldError[] {
  if (value === undefined || (value >= 0 && value <= 100)) return [];
  return [invalid(path, value, "not in valid range [0-100]")];
}

function validateQueueSort(
  [first, ...rest]: readonly KubeSchedulerProfile[],
  path: FieldPath,
): FieldError[] {
  if (first === undefined) return [];
  const errors: FieldError[] = [];
  const { queueSort } = first.plugins;
  const count = queueSort.enabled?.length ?? 0;
  if (count > 1) {
    const at = path.index(0).child("plugins").child("queueSort").child("Enabled");
    errors.push(invalid(at, count, "only one queue sort plugin can be enabled"));
  }
  rest.forEach(({ plugins }, index) => {
    if (deepEqual(plugins.queueSort, queueSort)) return;
    const at = path
      .index(index + 1)
      .child("plugins")
      .child("queueSort");
    errors.push(invalid(at, plugins.queueSort, "must be the same for all profiles"));
  });
  return errors;
}

function validateExtenders(extenders: readonly Extender[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const managed = new Set<string>();
  extenders.forEach((extender, index) => {
    const at = path.index(index);
    const { prioritizeVerb, weight = 0, managedResources = [] } = extender;
    if (prioritizeVerb && weight <= 0) {
      errors.push(invalid(at.child("weight"), weight, "must have a positive weight applied to it"));
    }
    managedResources.forEach(({ name }, position) => {
      const nameAt = at.child("managedResources").index(position).child("name");
      errors.push(...validateExtendedResource(name, nameAt));
      if (managed.has(name)) {
        errors.push(invalid(nameAt, name, "duplicate extender managed resource name"));
      }
      managed.add(name);
    });
  });
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length;
  if (binders > 1) {
    const found = `found ${binders} extenders implementing bind`;
    errors.push(invalid(path, found, "only one extender can implement bind"));
  }
  return errors;
}

function validateExtendedResource(name: string, path: FieldPath): FieldError[] {
  const problems = isQualifiedName(name);
  if (problems.length > 0) return problems.map((problem) => invalid(path, name, problem));
  if (isExtendedResource(name)) return [];
  return [invalid(path, name, "is an invalid extended resource name")];
}
