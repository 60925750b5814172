import type { ServerRules } from "../../../../registry/sharing/common-hooks.ts";

/** Server settings that the rules for Pods depend on; a RequestContext has them. */
export type PodGates = ServerRules;

/**
 * The rules for a Pod's spec: they depend on feature gates, and are relaxed for objects that broke a rule before it
 * existed. Upstream: pkg/api/pod/util.go.
 */
export interface PodValidationOptions extends PodGates {
  /** The spec belongs to a Pod, not to a template. */
  readonly resourceIsPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly allowInvalidLabelValueInNodeAffinity: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  /** The server has already merged a spread constraint's matchLabelKeys into its selector. */
  readonly labelKeysAreMerged: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowOnlyRecursiveSELinuxChange: boolean;
  readonly allowContainerRestartRules: boolean;
  readonly allowRestartAllContainers: boolean;
  readonly allowRestartOnResizeOfInitContainers: boolean;
  readonly allowVolumeDevicesWithUserNamespace: boolean;
  readonly allowHostNetworkWithUserNamespace: boolean;
  readonly allowTolerationComparison: boolean;
  readonly allowEmptyImageReference: boolean;
  readonly allowSysAdminWithoutEscalation: boolean;
  readonly allowEnvFiles: boolean;
}
