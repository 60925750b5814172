import type {
  ContainerStatus,
  HostIP,
  Pod,
  PodCondition,
  PodResourceClaim,
  PodStatus,
} from "#/api/core/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isIpv6, parseIpSloppy, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { isLongerThan, isQualifiedName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { validateAnnotationUpdate } from "./validate-annotation-update.ts";
import { validateContainerStatuses } from "./validate-container-statuses.ts";
import {
  validateClaimAmounts,
  validateExtendedClaim,
  validateVolumeHealth,
} from "./validate-device-status.ts";
import { validateTransitions } from "./validate-transitions.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const path = fieldPath("status");

/** Validation errors of an update of a pod's status. */
export function validatePodStatusUpdate(
  pod: Decoded<Pod>,
  old: Decoded<Pod>,
  context: RequestContext,
): FieldError[] {
  const report = new FieldReport();
  const options = podValidationOptions(context, old);
  const { spec } = pod;
  const status = pod.status ?? {};
  const before = old.status ?? {};
  report.add(validateMetaUpdate(pod.metadata, old.metadata));
  validateAnnotationUpdate(report, pod, old, options);
  validateConditions(report, status.conditions);
  validateNomination(report, status, old, context);
  if ((status.observedGeneration ?? 0) < 0) {
    const detail = "must be a non-negative integer";
    report.invalid(path, "observedGeneration", status.observedGeneration, detail);
  }
  if (status.qosClass !== before.qosClass) {
    report.invalid(path, "qosClass", new JsonValue(status.qosClass ?? ""), immutableMessage);
  }
  validateTransitions(report, path, { status, before, spec: old.spec, options });
  validateClaimStatuses(report, status, spec.resourceClaims);
  validateExtendedClaim(report, path.child("extendedResourceClaimStatus"), status, spec);
  validateClaimAmounts(report, path.child("nodeAllocatableResourceClaimStatuses"), status, spec);
  validateVolumeHealth(report, path.child("volumeHealth"), status.volumeHealth, spec);
  validatePodIPs(report, status, before);
  validateHostIPs(report, status, before);
  validateContainerStatuses(report, path, status, spec);
  if (context.enabled("ImageVolumeWithDigest")) validateImageVolumes(report, status);
  return report.errors;
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

function validateConditions(report: FieldReport, conditions: readonly PodCondition[] = []): void {
  conditions.forEach(({ type, observedGeneration = 0 }, index) => {
    const at = path.child("conditions").index(index);
    if (observedGeneration < 0) {
      const detail = "must be a non-negative integer";
      report.invalid(at, "observedGeneration", observedGeneration, detail);
    }
    if (systemConditions.includes(type)) return;
    report.problems(at, "Type", type, isQualifiedName(type));
  });
}

function validateNomination(
  report: FieldReport,
  { nominatedNodeName: name }: PodStatus,
  old: Pod,
  context: RequestContext,
): void {
  if (!name || name === old.status?.nominatedNodeName) return;
  report.problems(path, "nominatedNodeName", name, nameIsDNSSubdomain(name, false));
  if (!old.spec.nodeName || !context.enabled("ClearingNominatedNodeNameAfterBinding")) return;
  const detail = "may not be set on pods that are already bound to a node";
  report.forbidden(path, "nominatedNodeName", detail);
}

function validateClaimStatuses(
  report: FieldReport,
  { resourceClaimStatuses = [] }: PodStatus,
  claims: readonly PodResourceClaim[] = [],
): void {
  const names = new Set<string>();
  const claimNames = new Set(claims.map((claim) => claim.name));
  resourceClaimStatuses.forEach(({ name, resourceClaimName }, index) => {
    const at = path.child("resourceClaimStatuses").index(index);
    if (!claimNames.has(name)) {
      const detail = "must match the name of an entry in `spec.resourceClaims`";
      report.invalid(at, "name", name, detail);
    }
    if (names.has(name)) report.duplicate(at, "name", name);
    names.add(name);
    if (resourceClaimName === undefined) return;
    const problems = nameIsDNSSubdomain(resourceClaimName, false);
    report.problems(at, "resourceClaimName", new JsonValue(resourceClaimName), problems);
  });
}

function validatePodIPs(report: FieldReport, status: PodStatus, before: PodStatus): void {
  const { podIP = "", podIPs = [] } = status;
  const at = path.child("podIPs");
  validateAddresses(report, "podIPs", podIPs, before.podIPs);
  const shown = podIPs.length === 0 ? null : podIPs.map(({ ip }) => ({ IP: ip }));
  if ((podIP !== "") !== podIPs.length > 0) {
    report.invalid(at, "", shown, "podIP and podIPs must either both be set or both be unset");
  } else if (podIPs[0] && podIPs[0].ip !== podIP) {
    report.invalid(at.index(0), "ip", podIPs[0].ip, "must be equal to `podIP`");
  }
}

function validateHostIPs(report: FieldReport, status: PodStatus, before: PodStatus): void {
  const { hostIP = "", hostIPs = [] } = status;
  const [first] = hostIPs;
  if (first === undefined) return;
  if (first.ip !== hostIP) {
    report.invalid(path.child("hostIPs").index(0), "ip", first.ip, "must be equal to `hostIP`");
  }
  validateAddresses(report, "hostIPs", hostIPs, before.hostIPs);
}

/** Checks that each is an address, with at most one per family. */
function validateAddresses(
  report: FieldReport,
  field: string,
  addresses: readonly HostIP[],
  before: readonly HostIP[] = [],
): void {
  const at = path.child(field);
  const known = new Set(before.map(({ ip }) => ip));
  addresses.forEach(({ ip }, index) => {
    report.add(validateLegacyIp(at.index(index), ip, { old: known }));
  });
  if (addresses.length < 2) return;
  const shown = addresses.map(({ ip }) => ({ IP: ip }));
  const wrong = addresses.findIndex(({ ip }) => !parseIpSloppy(ip));
  if (wrong >= 0) {
    const cause = `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]?.ip}`;
    report.internal(at, cause);
  }
  const families = new Set(addresses.map(({ ip }) => isIpv6(ip)));
  if (wrong >= 0 || families.size < 2 || addresses.length > 2) {
    report.invalid(at, "", shown, "may specify no more than one IP for each IP family");
  }
}

const maxImageRefBytes = 256;

function validateImageVolumes(report: FieldReport, status: PodStatus): void {
  const fields = [
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
  ] as const;
  for (const field of fields) {
    status[field]?.forEach(({ volumeMounts = [] }: ContainerStatus, index) => {
      volumeMounts.forEach(({ volumeStatus }, position) => {
        if (volumeStatus?.image === undefined) return;
        const { imageRef = "" } = volumeStatus.image;
        const mount = path.child(field).index(index).child("volumeMounts").index(position);
        const at = mount.child("volumeStatus").child("imageVolumeStatus");
        if (imageRef === "") report.required(at, "imageRef", "imageRef must not be empty");
        if (isLongerThan(imageRef, maxImageRefBytes)) {
          report.tooLong(at, "imageRef", maxImageRefBytes);
        }
      });
    });
  }
}
