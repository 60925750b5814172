import type { Service } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { cidrWarnings, ipWarnings } from "#/machinery/meta/ip-rules.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";

const hintsAnnotation = "service.kubernetes.io/topology-aware-hints";
const modeAnnotation = "service.kubernetes.io/topology-mode";
const specPath = fieldPath("spec");

/** Warnings for a Service. Upstream: pkg/api/service/warnings.go. */
export function serviceWarnings({ metadata, spec }: Decoded<Service>): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[hintsAnnotation] !== undefined) {
    warnings.push(
      `annotation ${hintsAnnotation} is deprecated, please use ${modeAnnotation} instead`,
    );
  }
  const addresses = (field: string, ips: readonly string[] = []): void => {
    ips.forEach((ip, index) => {
      append(warnings, ipWarnings(specPath.child(field).index(index), ip));
    });
  };
  if (spec.clusterIP && spec.clusterIP !== "None") addresses("clusterIPs", spec.clusterIPs);
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  const { externalIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  if (headless) append(warnings, ignoredWarnings(spec));
  addresses("externalIPs", externalIPs);
  const externalName = spec.type === "ExternalName";
  if (externalIPs.length > 0 && !headless && !externalName) {
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  }
  if (loadBalancerIP)
    append(warnings, ipWarnings(specPath.child("loadBalancerIP"), loadBalancerIP));
  loadBalancerSourceRanges.forEach((cidr, index) => {
    append(warnings, cidrWarnings(specPath.child("loadBalancerSourceRanges").index(index), cidr));
  });
  if (externalName && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!externalName && spec.externalName) {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

/** Warnings for fields that a headless Service does not use. */
function ignoredWarnings(spec: Service["spec"]): string[] {
  const ignored: string[] = [];
  if (spec.loadBalancerIP) ignored.push("spec.loadBalancerIP");
  if (spec.externalIPs?.length) ignored.push("spec.externalIPs");
  if (spec.sessionAffinity !== "None") ignored.push("spec.SessionAffinity");
  return ignored.map((field) => `${field} is ignored for headless services`);
}
