import type { PodSpec, PodTemplateSpec, ResourceList } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { memoByIdentities } from "#/std/memory/memo.ts";
import { hasInvalidValue } from "../../rules/node-selector.ts";
import type { PodGates, PodValidationOptions } from "./base/pod-gates.ts";
import { allContainers, isSidecar } from "./base/visit-containers.ts";
import { usesRestartRules } from "./drop-disabled-fields.ts";
import { hasHostSysctl } from "./host-sysctl.ts";
import { isDeletionCost } from "./pod-annotations.ts";
import { hasInvalidSelector, podAffinityTerms } from "./validate-affinity.ts";
import { isPageMultiple } from "./validate-resources.ts";
import { validateMergedLabelKeys, validateSeparateLabelKeys } from "./validate-topology-spread.ts";
import { isLocalPath } from "./volumes/local-path.ts";

/** The object that an update replaces. */
interface OldPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** The validation options for a Pod; old is the Pod that an update replaces. */
export function podValidationOptions(gates: PodGates, old?: OldPod): PodValidationOptions {
  return { ...templateValidationOptions(gates, old), resourceIsPod: true };
}

/** The validation options for a Pod template; old is the object that an update replaces. */
export function templateValidationOptions(
  gates: PodGates,
  old?: OldPod | PodTemplateSpec,
): PodValidationOptions {
  const base = fromGates(gates);
  return old === undefined ? base : relaxFor(old, base, gates);
}

function fromGates(gates: PodGates): PodValidationOptions {
  const mergesLabelKeys =
    gates.enabled("MatchLabelKeysInPodTopologySpread") &&
    gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge");
  return {
    enabled: gates.enabled,
    allowPrivileged: gates.allowPrivileged,
    resourceIsPod: false,
    allowInvalidDeletionCost: !gates.enabled("PodDeletionCost"),
    allowInvalidLabelValueInSelector: false,
    allowInvalidLabelValueInNodeAffinity: false,
    allowInvalidSpreadSelector: false,
    labelKeysAreMerged: mergesLabelKeys,
    allowIndivisibleHugePages: false,
    allowNonLocalTokenPath: false,
    allowHostSysctls: false,
    allowOnlyRecursiveSELinuxChange: !gates.enabled("SELinuxMount"),
    allowContainerRestartRules: gates.enabled("ContainerRestartRules"),
    allowRestartAllContainers: gates.enabled("RestartAllContainersOnContainerExits"),
    allowRestartOnResizeOfInitContainers: false,
    allowVolumeDevicesWithUserNamespace: false,
    allowHostNetworkWithUserNamespace: gates.enabled("UserNamespacesHostNetworkSupport"),
    allowTolerationComparison: gates.enabled("TaintTolerationComparisonOperators"),
    allowEmptyImageReference: false,
    allowSysAdminWithoutEscalation: false,
    allowEnvFiles: gates.enabled("EnvFiles"),
  };
}

/** Relaxes each rule that the old object breaks. */
function relaxFor(
  { metadata, spec }: OldPod | PodTemplateSpec,
  base: PodValidationOptions,
  { enabled }: PodGates,
): PodValidationOptions {
  return {
    ...base,
    allowInvalidDeletionCost:
      base.allowInvalidDeletionCost || !isDeletionCost(metadata.annotations),
    ...allowancesOf(enabled, spec),
  };
}

type Allowances = Omit<
  PodValidationOptions,
  keyof PodGates | "resourceIsPod" | "allowInvalidDeletionCost"
>;

/** The rules that an old spec relaxes. Memoized: an old spec is never changed, and the gates of a server are constant. */
const allowancesOf = memoByIdentities((enabled: PodGates["enabled"], spec: PodSpec) =>
  findAllowances(spec, fromGates({ enabled, allowPrivileged: false })),
);

function findAllowances(spec: PodSpec, base: PodValidationOptions): Allowances {
  const containers = [...allContainers(spec)];
  const usersNamespace = spec.hostUsers === false;
  return {
    allowInvalidLabelValueInSelector: podAffinityTerms(spec).some(hasInvalidSelector),
    allowInvalidLabelValueInNodeAffinity: hasInvalidValue(
      spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    ),
    allowInvalidSpreadSelector: hasInvalidSpreadSelector(spec),
    labelKeysAreMerged: mergesLabelKeys(spec, base),
    allowIndivisibleHugePages: hasIndivisibleHugePages(spec),
    allowNonLocalTokenPath: hasNonLocalTokenPath(spec),
    allowHostSysctls: hasHostSysctl(spec),
    allowOnlyRecursiveSELinuxChange:
      base.allowOnlyRecursiveSELinuxChange &&
      spec.securityContext?.seLinuxChangePolicy === undefined,
    allowContainerRestartRules: base.allowContainerRestartRules || usesRestartRules(spec),
    allowRestartAllContainers: base.allowRestartAllContainers || usesRestartAll(spec),
    allowRestartOnResizeOfInitContainers: restartsOnResize(spec),
    allowVolumeDevicesWithUserNamespace:
      usersNamespace && containers.some(({ volumeDevices }) => hasItems(volumeDevices)),
    allowHostNetworkWithUserNamespace:
      base.allowHostNetworkWithUserNamespace || (usersNamespace && spec.hostNetwork === true),
    allowTolerationComparison:
      base.allowTolerationComparison ||
      (spec.tolerations ?? []).some(({ operator }) => operator === "Lt" || operator === "Gt"),
    allowEmptyImageReference: (spec.volumes ?? []).some(
      ({ image }) => image !== undefined && !image.reference,
    ),
    allowSysAdminWithoutEscalation: containers.some(
      ({ securityContext }) =>
        securityContext?.allowPrivilegeEscalation !== true &&
        securityContext?.capabilities?.add?.includes("CAP_SYS_ADMIN"),
    ),
    allowEnvFiles:
      base.allowEnvFiles ||
      containers.some(({ env }) => env?.some(({ valueFrom }) => valueFrom?.fileKeyRef)),
  };
}

const hasItems = (list: readonly unknown[] | undefined): boolean => (list?.length ?? 0) > 0;
const anywhere = fieldPath("spec");

function hasInvalidSpreadSelector({ topologySpreadConstraints = [] }: PodSpec): boolean {
  return topologySpreadConstraints.some(
    ({ labelSelector }) => validateLabelSelector(labelSelector, anywhere).length > 0,
  );
}

/** If the old object is invalid by the current rule, the other rule applies. */
function mergesLabelKeys(
  { topologySpreadConstraints = [] }: PodSpec,
  base: PodValidationOptions,
): boolean {
  if (!base.enabled("MatchLabelKeysInPodTopologySpread")) return false;
  const validate = base.labelKeysAreMerged ? validateMergedLabelKeys : validateSeparateLabelKeys;
  const wrong = topologySpreadConstraints.some((constraint) => {
    return validate(constraint, anywhere).length > 0;
  });
  return base.labelKeysAreMerged !== wrong;
}

function hasIndivisibleHugePages(spec: PodSpec): boolean {
  if (hasIndivisible(spec.overhead)) return true;
  for (const { resources } of allContainers(spec)) {
    if (hasIndivisible(resources?.limits) || hasIndivisible(resources?.requests)) return true;
  }
  return false;
}

function hasIndivisible(list: ResourceList | undefined): boolean {
  for (const name in list) {
    if (name.startsWith("hugepages-") && !isPageMultiple(name, list[name] ?? "0")) return true;
  }
  return false;
}

function hasNonLocalTokenPath({ volumes = [] }: PodSpec): boolean {
  return volumes.some(({ projected }) =>
    projected?.sources?.some(
      ({ serviceAccountToken }) => serviceAccountToken && !isLocalPath(serviceAccountToken.path),
    ),
  );
}

function usesRestartAll({ initContainers = [], containers }: PodSpec): boolean {
  const restartsAll = [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
  return (
    restartsAll ||
    initContainers.some(
      (container) => isSidecar(container) && hasItems(container.restartPolicyRules),
    )
  );
}

function restartsOnResize({ initContainers = [] }: PodSpec): boolean {
  return initContainers.some(
    (container) =>
      !isSidecar(container) &&
      container.resizePolicy?.some(({ restartPolicy }) => restartPolicy === "RestartContainer"),
  );
}
