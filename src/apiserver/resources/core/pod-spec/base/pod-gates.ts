import type { ServerRules } from "../../../../registry/sharing/common-hooks.ts";

/** What of the server's settings the rules for pods depend on; a RequestContext is one. */
export type PodGates = ServerRules;

/**
 * Which rules hold for a pod's spec: they depend on feature gates, and are kinder to objects that broke a rule before it
 * was one. Upstream: pkg/api/pod/util.go.
 */
export interface PodValidationOptions extends PodGates {
  /** The spec is that of a pod rather than of a template. */
  readonly resourceIsPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly allowInvalidLabelValueInNodeAffinity: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  /** A spread constraint's matchLabelKeys are part of its selector already, as the server puts them there. */
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
