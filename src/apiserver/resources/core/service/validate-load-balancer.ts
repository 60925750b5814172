import type { Service } from "#/api/core/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseIpSloppy, validateLegacyCidr, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { isDNS1123Subdomain, isQualifiedName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Validation errors of the load balancer fields of a Service. */
export function validateLoadBalancerFields(
  service: Decoded<Service>,
  old: Service | undefined,
): FieldError[] {
  const { spec } = service;
  const errors = spec.loadBalancerSourceRanges?.length
    ? validateSourceRanges(service, old)
    : validateRangesAnnotation(service, old as Decoded<Service> | undefined);
  const allocate = spec.allocateLoadBalancerNodePorts;
  if (allocate !== undefined && spec.type !== "LoadBalancer") {
    const path = fieldPath("spec", "allocateLoadBalancerNodePorts");
    errors.push(forbidden(path, onlyLoadBalancer));
  }
  if (allocate === undefined && spec.type === "LoadBalancer") {
    errors.push(required(fieldPath("allocateLoadBalancerNodePorts")));
  }
  return [...errors, ...validateLoadBalancerClass(service)];
}

function validateSourceRanges({ spec }: Service, old: Service | undefined): FieldError[] {
  const path = fieldPath("spec", "LoadBalancerSourceRanges");
  const errors = spec.type === "LoadBalancer" ? [] : [forbidden(path, onlyLoadBalancer)];
  const known = new Set(old?.spec.loadBalancerSourceRanges?.map((text) => text.trim()));
  spec.loadBalancerSourceRanges?.forEach((text, index) => {
    append(errors, validateLegacyCidr(path.index(index), text.trim(), { old: known }));
  });
  return errors;
}

function validateRangesAnnotation(
  { metadata, spec }: Decoded<Service>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  const value = metadata.annotations?.[rangesAnnotation];
  if (value === undefined) return [];
  const path = fieldPath("metadata", "annotations").key(rangesAnnotation);
  const errors = spec.type === "LoadBalancer" ? [] : [forbidden(path, onlyLoadBalancer)];
  if (old?.metadata.annotations?.[rangesAnnotation] === value || value.trim() === "") return errors;
  for (const text of value.split(",")) append(errors, validateLegacyCidr(path, text.trim()));
  return errors;
}

/** Validation errors of the load balancer class, which is immutable. */
export function validateLoadBalancerClass({ spec }: Service, old?: Service): FieldError[] {
  const path = fieldPath("spec", "loadBalancerClass");
  const { loadBalancerClass: name } = spec;
  if (spec.type !== "LoadBalancer") {
    return name === undefined ? [] : [forbidden(path, onlyLoadBalancer)];
  }
  const errors: FieldError[] = [];
  if (old?.spec.type === "LoadBalancer" && old.spec.loadBalancerClass !== name) {
    errors.push(invalid(path, name ?? null, "may not change once set"));
  }
  if (name === undefined) return errors;
  for (const problem of isQualifiedName(name)) errors.push(invalid(path, name, problem));
  return errors;
}

const ipModes = ["Proxy", "VIP"];

/** Validation errors of the load balancer status of a Service. */
export function validateServiceStatus(
  service: Decoded<Service>,
  old: Decoded<Service>,
): FieldError[] {
  const errors = validateMetaUpdate(service.metadata, old.metadata);
  const path = fieldPath("status", "loadBalancer", "ingress");
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  if (service.spec.type !== "LoadBalancer" && ingress.length > 0) {
    errors.push(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  const known = new Set(old.status?.loadBalancer?.ingress?.flatMap(({ ip }) => (ip ? [ip] : [])));
  ingress.forEach(({ ip, ipMode, hostname }, index) => {
    const at = path.index(index);
    if (ip) append(errors, validateLegacyIp(at.child("ip"), ip, { old: known }));
    if (ipMode === undefined) {
      if (ip) errors.push(required(at.child("ipMode"), "must be specified when `ip` is set"));
    } else if (!ip) {
      errors.push(forbidden(at.child("ipMode"), "may not be specified when `ip` is not set"));
    } else if (!ipModes.includes(ipMode)) {
      errors.push(notSupported(at.child("ipMode"), new JsonValue(ipMode), ipModes));
    }
    if (!hostname) return;
    for (const problem of isDNS1123Subdomain(hostname)) {
      errors.push(invalid(at.child("hostname"), hostname, problem));
    }
    if (parseIpSloppy(hostname)) {
      const detail = "must be a DNS name, not an IP address";
      errors.push(invalid(at.child("hostname"), hostname, detail));
    }
  });
  return errors;
}
