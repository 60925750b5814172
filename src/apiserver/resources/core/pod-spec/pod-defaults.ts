import type { PodSpec, PodTemplateSpec } from "#/api/core/v1.ts";
import { setContainerDefaults } from "./base/container-defaults.ts";
import { roundResourceList } from "./base/resource-list-defaults.ts";
import { setVolumeDefaults } from "./volumes/volume-defaults.ts";

/**
 * Sets the defaults of a Pod spec, in a Pod or in a template.
 *
 * Upstream: pkg/apis/core/v1/defaults.go, zz_generated.defaults.go.
 */
export function setPodSpecDefaults(spec: PodSpec): void {
  // Validation rejects a missing list later; until then it is empty.
  spec.containers ??= [];
  syncServiceAccount(spec);
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  roundResourceList(spec.overhead);
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
}

/** Sets the defaults of a Pod template. */
export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  setPodSpecDefaults(template.spec);
}

/** The deprecated field is a copy of the new one, and its value is used if the new one is missing. */
function syncServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName ||= name;
  if (spec.serviceAccount !== name) spec.serviceAccount = name;
}
