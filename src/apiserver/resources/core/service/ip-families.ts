import { type IPFamily, type Service, services } from "#/api/core/v1.ts";
import { type FieldError, invalid, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isIpv6 } from "#/machinery/meta/ip-rules.ts";
import { invalid as invalidObject } from "#/machinery/meta/status-error.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { sameList } from "./kinds-of-service.ts";
import { validateClusterIPs } from "./validate-cluster-ips.ts";

/**
 * The IP families of a Service: missing ones follow from its policy, its addresses and the cluster.
 *
 * Upstream: pkg/registry/core/service/storage/alloc.go (initIPFamilyFields).
 */

/** The families of the cluster's Services, the default first. */
export type ClusterFamilies = readonly IPFamily[];

const policyPath = fieldPath("spec", "ipFamilyPolicy");
const otherFamily = (family: IPFamily | undefined): IPFamily =>
  family === "IPv4" ? "IPv6" : "IPv4";

/** Sets policy and families; throws 422 if they contradict each other. */
export function setIPFamilies(
  service: Decoded<Service>,
  old: Service | undefined,
  cluster: ClusterFamilies,
): void {
  const { spec } = service;
  if (spec.type === "ExternalName" || keepsPreference(service, old)) return;
  const selectorless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??=
    old?.spec.ipFamilyPolicy ?? (selectorless ? "RequireDualStack" : "SingleStack");
  refuse(service, validateClusterIPs(service, old));
  const errors = old ? releaseSecondary(service, old) : [];
  append(errors, validatePolicy(service));
  append(errors, takeFamiliesOfAddresses(service, cluster));
  refuse(service, errors);
  if (selectorless) {
    // The families of the endpoints are unknown, since the user manages them.
    spec.ipFamilies ??= [...cluster.slice(0, 1)];
    if (spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== "SingleStack") {
      spec.ipFamilies = [...spec.ipFamilies, otherFamily(spec.ipFamilies[0])];
    }
    return;
  }
  refuse(service, validateConfigured(service, cluster));
  spec.ipFamilies ??= [...cluster.slice(0, 1)];
  const single = spec.ipFamilies.length === 1;
  if (single && spec.ipFamilyPolicy !== "SingleStack" && cluster.length === 2) {
    spec.ipFamilies = [...spec.ipFamilies, otherFamily(spec.ipFamilies[0])];
  }
}

function refuse({ metadata }: Decoded<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(services, metadata.name ?? "", errors);
}

/** A Service with PreferDualStack and one family stays unchanged when the cluster gets a second family. */
export function keepsPreference({ spec }: Service, old: Service | undefined): boolean {
  return (
    old !== undefined &&
    old.spec.type === spec.type &&
    (spec.type === "ClusterIP" || spec.type === "NodePort" || spec.type === "LoadBalancer") &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (old.spec.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    sameList(spec.clusterIPs, old.spec.clusterIPs) &&
    sameList(spec.ipFamilies, old.spec.ipFamilies)
  );
}

/** Only SingleStack releases the second address; no other policy allows its removal. */
function releaseSecondary({ spec }: Service, { spec: old }: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length > 1 && sameList(clusterIPs, old.clusterIPs)) {
      spec.clusterIPs = clusterIPs.slice(0, 1);
    }
    if (ipFamilies.length > 1 && sameList(ipFamilies, old.ipFamilies)) {
      spec.ipFamilies = ipFamilies.slice(0, 1);
    }
    return [];
  }
  const isReduced = (now: number, before = 0): boolean => now > 0 && now < before;
  const shown = new JsonValue(spec.ipFamilyPolicy);
  return [
    ...(isReduced(clusterIPs.length, old.clusterIPs?.length)
      ? [invalid(policyPath, shown, "must be 'SingleStack' to release the secondary cluster IP")]
      : []),
    ...(isReduced(ipFamilies.length, old.ipFamilies?.length)
      ? [invalid(policyPath, shown, "must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}

function validatePolicy({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const shown = new JsonValue(spec.ipFamilyPolicy);
  const wrong = (what: string): FieldError =>
    invalid(
      policyPath,
      shown,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(spec.clusterIPs?.length === 2 ? [wrong("cluster IPs")] : []),
    ...(spec.ipFamilies?.length === 2 ? [wrong("IP families")] : []),
  ];
}

/** Requested addresses determine the families of the Service. */
function takeFamiliesOfAddresses({ spec }: Service, cluster: ClusterFamilies): FieldError[] {
  const { clusterIPs = [] } = spec;
  if (clusterIPs[0] === "None") return [];
  const errors: FieldError[] = [];
  clusterIPs.forEach((ip, index) => {
    if (index < (spec.ipFamilies?.length ?? 0)) return;
    const family: IPFamily = isIpv6(ip) ? "IPv6" : "IPv4";
    if (cluster.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const path = fieldPath("spec", "clusterIPs").index(index);
      errors.push(invalid(path, clusterIPs, `${family} is not configured on this cluster`));
    }
  });
  return errors;
}

function validateConfigured({ spec }: Service, cluster: ClusterFamilies): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack" && cluster.length < 2) {
    const shown = new JsonValue(spec.ipFamilyPolicy);
    errors.push(
      invalid(policyPath, shown, "this cluster is not configured for dual-stack services"),
    );
  }
  spec.ipFamilies?.forEach((family, index) => {
    if (cluster.includes(family)) return;
    const path = fieldPath("spec", "ipFamilies").index(index);
    errors.push(invalid(path, new JsonValue(family), "not configured on this cluster"));
  });
  return errors;
}
