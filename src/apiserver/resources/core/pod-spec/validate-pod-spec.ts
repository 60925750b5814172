import type { PodResourceClaim, PodSpec } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import {
  isDNS1123Label,
  isQualifiedName,
  nameIsDNSSubdomain,
  rangeMessage,
} from "#/machinery/meta/names.ts";
import { lastByKey } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { coreInternalForm } from "../../rules/internal-form.ts";
import type { PodValidationOptions } from "./base/pod-gates.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { visitContainers } from "./base/visit-containers.ts";
import { mirrorAnnotation } from "./pod-annotations.ts";
import { validateAffinity } from "./validate-affinity.ts";
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./validate-containers.ts";
import { validateEvictionResponders } from "./validate-eviction-responders.ts";
import {
  validateDNSConfig,
  validateDNSPolicy,
  validateHostAliases,
  validateHostNetworkPorts,
  validateHostnameOverride,
} from "./validate-networking.ts";
import { validateOS } from "./validate-os.ts";
import { validateOverhead, validatePodLevelResources } from "./validate-resources.ts";
import { validatePodSecurityContext } from "./validate-security.ts";
import { validateTolerations } from "./validate-tolerations.ts";
import { validateTopologySpread } from "./validate-topology-spread.ts";
import { validateHostProcess } from "./validate-windows.ts";
import { validateVolumes } from "./volumes/validate-volumes.ts";

/** Context of a spec in its Pod; there is no metadata in a template. */
interface PodSpecContext {
  readonly metadata?: ObjectMeta;
  readonly options: PodValidationOptions;
}

/**
 * Validation errors of a pod's spec.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */
export function validatePodSpec(
  spec: PodSpec,
  path: FieldPath,
  { metadata, options }: PodSpecContext,
): FieldError[] {
  const report = new FieldReport();
  const { terminationGracePeriodSeconds, resourceClaims = [] } = spec;
  if (terminationGracePeriodSeconds === undefined) {
    report.required(path, "terminationGracePeriodSeconds");
  }
  const volumes = validateVolumes(spec.volumes, path.child("volumes"), {
    report,
    options,
    metadata,
  });
  const scope: ValidationScope = {
    report,
    options,
    volumes,
    claimNames: new Set(resourceClaims.flatMap(({ name }) => (name ? [name] : []))),
    gracePeriodSeconds: terminationGracePeriodSeconds,
    os: spec.os,
    restartPolicy: spec.restartPolicy,
    hostUsers: spec.hostUsers !== false,
  };
  validateResourceClaims(report, path.child("resourceClaims"), resourceClaims, metadata);
  validateAllContainers(spec, path, scope);
  validateWhole(spec, path, scope);
  validateIdentity(spec, path, scope);
  validateScheduling(spec, path, scope);
  validateFileKeyRefs(spec, path, report);
  validateEvictionResponders(report, path.child("evictionResponders"), spec.evictionResponders);
  return report.errors;
}

function validateAllContainers(spec: PodSpec, path: FieldPath, scope: ValidationScope): void {
  const { containers = [], initContainers = [], ephemeralContainers } = spec;
  validateContainers(containers, path.child("containers"), scope);
  validateInitContainers(initContainers, path.child("initContainers"), containers, scope);
  const at = path.child("ephemeralContainers");
  validateEphemeralContainers(ephemeralContainers, at, [...containers, ...initContainers], scope);
}

const restartPolicies = ["Always", "OnFailure", "Never"];

/** Checks the rules that concern all containers together. */
function validateWhole(spec: PodSpec, path: FieldPath, scope: ValidationScope): void {
  const { report, options } = scope;
  const { restartPolicy } = spec;
  if (options.enabled("PodLevelResources")) validatePodLevelResources(spec, path, scope);
  validateHostNetworkPorts(spec, path, scope);
  if (!restartPolicy) report.required(path, "restartPolicy");
  else if (!restartPolicies.includes(restartPolicy)) {
    report.notSupported(path, "restartPolicy", restartPolicy, restartPolicies);
  }
  validateDNSPolicy(report, path, spec.dnsPolicy);
  report.add(validateLabels(spec.nodeSelector, path.child("nodeSelector")));
  validatePodSecurityContext(spec, path.child("securityContext"), scope);
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    report.invalid(path, "shareProcessNamespace", true, detail);
  }
  validateAffinity(spec.affinity, path.child("affinity"), scope);
  validateDNSConfig(spec, path.child("dnsConfig"), report);
  validateGates(spec, path, report);
  const constraints = spec.topologySpreadConstraints;
  validateTopologySpread(constraints, path.child("topologySpreadConstraints"), scope);
  validateHostProcess(spec, path, scope);
  validateUserNamespace(spec, path, scope);
  validateHostnameOverride(spec, path, report);
}

/** Checks readiness gates and scheduling gates. */
function validateGates(spec: PodSpec, path: FieldPath, report: FieldReport): void {
  spec.readinessGates?.forEach(({ conditionType }, index) => {
    const at = path.child("readinessGates").index(index);
    report.problems(at, "conditionType", conditionType, isQualifiedName(conditionType));
  });
  const seen = new Set<string>();
  spec.schedulingGates?.forEach(({ name }, index) => {
    const at = path.child("schedulingGates").index(index);
    report.problems(at, "", name, isQualifiedName(name));
    if (seen.has(name)) report.duplicate(at, "", name);
    seen.add(name);
  });
}

/** A Pod with its own user namespace may share no other namespace with its host. */
function validateUserNamespace(
  spec: PodSpec,
  path: FieldPath,
  { report, options, hostUsers }: ValidationScope,
): void {
  if (hostUsers) return;
  const detail = "when `hostUsers` is false";
  if (spec.hostNetwork && !options.allowHostNetworkWithUserNamespace) {
    report.forbidden(path, "hostNetwork", detail);
  }
  if (spec.hostPID) report.forbidden(path, "HostPID", detail);
  if (spec.hostIPC) report.forbidden(path, "HostIPC", detail);
  if (options.allowVolumeDevicesWithUserNamespace) return;
  visitContainers(spec, path, ({ volumeDevices = [] }, at) => {
    if (volumeDevices.length > 0) report.forbidden(at, "volumeDevices", detail);
  });
}

const maxInt32 = 2 ** 31 - 1;

/** Checks service account, node name, deadline, host name and subdomain. */
function validateIdentity(spec: PodSpec, path: FieldPath, { report }: ValidationScope): void {
  const { serviceAccountName = "", serviceAccount = "", activeDeadlineSeconds: deadline } = spec;
  validateName(report, path, "serviceAccountName", serviceAccountName);
  if (serviceAccount !== serviceAccountName) {
    const detail = `must be the same as serviceAccountName: ${goQuote(serviceAccountName)}`;
    report.invalid(path, "deprecatedServiceAccount", serviceAccount, detail);
  }
  validateName(report, path, "nodeName", spec.nodeName);
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    report.invalid(path, "activeDeadlineSeconds", deadline, rangeMessage(1, maxInt32));
  }
  const { hostname, subdomain } = spec;
  if (hostname) report.problems(path, "hostname", hostname, isDNS1123Label(hostname));
  if (subdomain) report.problems(path, "subdomain", subdomain, isDNS1123Label(subdomain));
}

function validateName(
  report: FieldReport,
  path: FieldPath,
  field: string,
  name: string | undefined,
): void {
  if (name) report.problems(path, field, name, nameIsDNSSubdomain(name, false));
}

const preemptionPolicies = ["PreemptLowerPriority", "Never"];

/** Checks the fields that the scheduler and the runtime use. */
function validateScheduling(spec: PodSpec, path: FieldPath, scope: ValidationScope): void {
  const { report, options } = scope;
  const { runtimeClassName, preemptionPolicy, schedulingGroup } = spec;
  validateTolerations(report, path.child("tolerations"), spec.tolerations, options);
  validateHostAliases(spec.hostAliases, path.child("hostAliases"), report);
  validateName(report, path, "priorityClassName", spec.priorityClassName);
  if (runtimeClassName !== undefined) {
    const problems = nameIsDNSSubdomain(runtimeClassName, false);
    report.problems(path, "runtimeClassName", runtimeClassName, problems);
  }
  if (preemptionPolicy !== undefined && !preemptionPolicies.includes(preemptionPolicy)) {
    if (!preemptionPolicy) report.required(path, "preemptionPolicy");
    else report.notSupported(path, "preemptionPolicy", preemptionPolicy, preemptionPolicies);
  }
  if (spec.overhead) validateOverhead(spec.overhead, path.child("overhead"), scope);
  validateOS(spec, path, report);
  if (schedulingGroup === undefined) return;
  const { podGroupName } = schedulingGroup;
  if (podGroupName !== undefined) {
    const problems = nameIsDNSSubdomain(podGroupName, false);
    report.problems(path.child("schedulingGroup"), "podGroupName", podGroupName, problems);
  } else {
    const detail = "must specify one of: `podGroupName`";
    report.invalid(path.child("schedulingGroup"), "podGroupName", null, detail);
  }
  if (!spec.evictionResponders?.length) return;
  report.forbidden(path, "schedulingGroup", "may not be set when evictionResponders is set");
}

function validateResourceClaims(
  report: FieldReport,
  path: FieldPath,
  claims: readonly PodResourceClaim[],
  metadata: ObjectMeta | undefined,
): void {
  const names = new Set<string>();
  claims.forEach((claim, index) => {
    if (metadata?.annotations?.[mirrorAnnotation] !== undefined) {
      const nowhere = fieldPath("");
      report.forbidden(nowhere, "", "static pods do not support resource claims");
      return;
    }
    validateResourceClaim(report, path.index(index), claim, names);
  });
}

function validateResourceClaim(
  report: FieldReport,
  path: FieldPath,
  claim: PodResourceClaim,
  names: Set<string>,
): void {
  const { name, resourceClaimName: own, resourceClaimTemplateName: template } = claim;
  if (!name) report.required(path, "name");
  else if (names.has(name)) report.duplicate(path, "name", name);
  else report.problems(path, "name", name, isDNS1123Label(name));
  if (name) names.add(name);
  const shown = (): unknown => coreInternalForm("PodResourceClaim", claim);
  if (own !== undefined && template !== undefined) {
    const detail =
      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    report.invalid(path, "", shown(), detail);
  }
  if (own === undefined && template === undefined) {
    const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    report.invalid(path, "", shown(), detail);
  }
  if (own !== undefined) {
    report.problems(path, "resourceClaimName", own, nameIsDNSSubdomain(own, false));
  }
  if (template !== undefined) {
    const problems = nameIsDNSSubdomain(template, false);
    report.problems(path, "resourceClaimTemplateName", template, problems);
  }
}

/** A variable may refer to a file only in an emptyDir volume. */
function validateFileKeyRefs(spec: PodSpec, path: FieldPath, report: FieldReport): void {
  const volumes = lastByKey(spec.volumes ?? [], ({ name }) => name);
  visitContainers(spec, path, ({ env = [] }, at) => {
    env.forEach(({ valueFrom }, index) => {
      if (!valueFrom?.fileKeyRef) return;
      const { volumeName } = valueFrom.fileKeyRef;
      const place = at.child("env").index(index).child("valueFrom").child("fileKeyRef");
      const volume = volumes.get(volumeName);
      if (volume === undefined) report.notFound(place, "volumeName", volumeName);
      else if (!volume.emptyDir) {
        const detail = "referenced volume must be of type emptyDir";
        report.invalid(place, "volumeName", volumeName, detail);
      }
    });
  });
}
