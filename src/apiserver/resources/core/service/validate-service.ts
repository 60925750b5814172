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
import { validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import { isDNS1123Subdomain, nameIsDNSLabel } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { validateEndpointIp } from "../../rules/endpoint-ip.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import { isHeadless, needsHealthCheck } from "./kinds-of-service.ts";
import {
  validateClusterIPs,
  validateClusterIPsUpdate,
  validateIPFamiliesUpdate,
} from "./validate-cluster-ips.ts";
import { validateLoadBalancerClass, validateLoadBalancerFields } from "./validate-load-balancer.ts";
import { validatePorts, validatePortUse } from "./validate-ports.ts";
import { validateTraffic } from "./validate-traffic.ts";

/** Upstream: pkg/apis/core/validation/validation.go (ValidateServiceCreate, ValidateServiceUpdate). */
const specPath = fieldPath("spec");
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
/** Limit of the session affinity timeout (seconds): a day. */
const maxAffinitySeconds = 86400;

/** Validation errors of a new Service. */
export function validateServiceCreate(service: Decoded<Service>): FieldError[] {
  return [...validateNamespacedMeta(service.metadata, nameIsDNSLabel), ...validateService(service)];
}

/** Validation errors of an update of a Service. */
export function validateServiceUpdate(
  service: Decoded<Service>,
  old: Decoded<Service>,
): FieldError[] {
  const errors = [
    ...validateMetaUpdate(service.metadata, old.metadata),
    ...validateClusterIPsUpdate(service, old),
    ...validateIPFamiliesUpdate(service, old),
    ...validateLoadBalancerClass(service, old),
  ];
  const { healthCheckNodePort: port = 0 } = service.spec;
  if (
    needsHealthCheck(old) &&
    needsHealthCheck(service) &&
    port !== (old.spec.healthCheckNodePort ?? 0)
  ) {
    errors.push(forbidden(specPath.child("healthCheckNodePort"), "field is immutable"));
  }
  return [...errors, ...validateService(service, old)];
}

function validateService(service: Decoded<Service>, old?: Service): FieldError[] {
  const { spec } = service;
  return [
    ...validateTopologyAnnotations(service),
    ...validateByType(service),
    ...validatePorts(service),
    ...(spec.selector ? validateLabels(spec.selector, specPath.child("selector")) : []),
    ...validateAffinity(service),
    ...validateClusterIPs(service, old),
    ...validateExternalIPs(service, old),
    ...validateType(spec.type ?? ""),
    ...validatePortUse(service),
    ...validateLoadBalancerFields(service, old),
    ...validateTraffic(service),
  ];
}

const hintsAnnotation = "service.kubernetes.io/topology-aware-hints";
const modeAnnotation = "service.kubernetes.io/topology-mode";

function validateTopologyAnnotations({ metadata }: Decoded<Service>): FieldError[] {
  const { [hintsAnnotation]: hints, [modeAnnotation]: mode } = metadata.annotations ?? {};
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const path = fieldPath("metadata", "annotations").key(modeAnnotation);
  return [
    invalid(path, mode, `must match annotations[${hintsAnnotation}] when both are specified`),
  ];
}

function validateByType(service: Service): FieldError[] {
  const { spec } = service;
  const errors: FieldError[] = [];
  const headless = isHeadless(service);
  if (!spec.ports?.length && !headless && spec.type !== "ExternalName") {
    errors.push(required(specPath.child("ports")));
  }
  if (headless && (spec.type === "LoadBalancer" || spec.type === "NodePort")) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    errors.push(invalid(specPath.child("clusterIPs").index(0), "None", detail));
  }
  if (spec.type === "ExternalName") append(errors, validateExternalName(service));
  return errors;
}

function validateExternalName({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (field: string): void => {
    errors.push(forbidden(specPath.child(field), "may not be set for ExternalName services"));
  };
  if (spec.clusterIPs?.length) refuse("clusterIPs");
  if (spec.ipFamilies?.length) refuse("ipFamilies");
  if (spec.ipFamilyPolicy !== undefined) refuse("ipFamilyPolicy");
  // A name may end in a dot, which marks it as fully qualified.
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  const path = specPath.child("externalName");
  if (name === "") errors.push(required(path));
  else for (const problem of isDNS1123Subdomain(name)) errors.push(invalid(path, name, problem));
  return errors;
}

function validateAffinity({ spec }: Service): FieldError[] {
  const { sessionAffinity = "", sessionAffinityConfig: config } = spec;
  const path = specPath.child("sessionAffinity");
  const configPath = specPath.child("sessionAffinityConfig");
  if (sessionAffinity === "ClientIP") {
    const when = "when session affinity type is ClientIP";
    if (!config) return [required(configPath, when)];
    if (!config.clientIP) return [required(configPath.child("clientIP"), when)];
    const at = configPath.child("clientIP").child("timeoutSeconds");
    const seconds = config.clientIP.timeoutSeconds;
    if (seconds === undefined) return [required(at, when)];
    if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
    return [invalid(at, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)];
  }
  if (sessionAffinity === "") return [required(path)];
  if (!affinities.includes(sessionAffinity)) {
    return [notSupported(path, new JsonValue(sessionAffinity), affinities)];
  }
  if (!config) return [];
  return [forbidden(configPath, "must not be set when session affinity is None")];
}

function validateExternalIPs({ spec }: Service, old: Service | undefined): FieldError[] {
  const path = specPath.child("externalIPs");
  const known = new Set(old?.spec.externalIPs);
  return (spec.externalIPs ?? []).flatMap((ip, index) => {
    const malformed = validateLegacyIp(path.index(index), ip, { old: known });
    return malformed.length > 0 ? malformed : validateEndpointIp(path.index(index), ip);
  });
}

function validateType(type: string): FieldError[] {
  const path = specPath.child("type");
  if (type === "") return [required(path)];
  return types.includes(type) ? [] : [notSupported(path, new JsonValue(type), types)];
}
