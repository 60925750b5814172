import type { Service } from "#/api/core/v1.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isPortNumber } from "#/machinery/meta/text-rules.ts";
import { isExternallyAccessible, needsHealthCheck } from "./kinds-of-service.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */
const specPath = fieldPath("spec");
const policies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** Validation errors of the traffic policies of a Service. */
export function validateTraffic(service: Service): FieldError[] {
  return [
    ...validateExternalPolicy(service),
    ...validateHealthCheck(service),
    ...validateInternalPolicy(service),
    ...validateDistribution(service),
  ];
}

function validateExternalPolicy(service: Service): FieldError[] {
  const path = specPath.child("externalTrafficPolicy");
  const policy: string = service.spec.externalTrafficPolicy ?? "";
  const shown = new JsonValue(policy);
  if (!isExternallyAccessible(service)) {
    if (policy === "") return [];
    return [invalid(path, shown, "may only be set for externally-accessible services")];
  }
  if (policy === "") return [required(path)];
  return policies.includes(policy) ? [] : [notSupported(path, shown, policies)];
}

function validateHealthCheck(service: Service): FieldError[] {
  const path = specPath.child("healthCheckNodePort");
  const port = service.spec.healthCheckNodePort ?? 0;
  if (needsHealthCheck(service)) {
    if (port === 0) return [required(path)];
    return isPortNumber(port).map((problem) => invalid(path, port, problem));
  }
  if (port === 0) return [];
  const detail =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid(path, port, detail)];
}

function validateInternalPolicy({ spec }: Service): FieldError[] {
  const path = specPath.child("internalTrafficPolicy");
  const { internalTrafficPolicy: policy, type } = spec;
  if (policy === undefined) {
    const needed = type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP";
    return needed ? [required(path)] : [];
  }
  return policies.includes(policy) ? [] : [notSupported(path, new JsonValue(policy), policies)];
}

function validateDistribution({
  spec: { trafficDistribution: distribution },
}: Service): FieldError[] {
  if (distribution === undefined || distributions.includes(distribution)) return [];
  return [notSupported(specPath.child("trafficDistribution"), distribution, distributions)];
}
