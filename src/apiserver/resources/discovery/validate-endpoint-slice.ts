import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "#/api/discovery/v1.ts";
import {
  duplicate,
  type FieldError,
  internalError,
  invalid,
  JsonValue,
  notSupported,
  required,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isIpv6, validateIp, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import {
  isDNS1123Label,
  isLabelValue,
  isQualifiedName,
  nameIsDNSSubdomain,
  type Problems,
} from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { validateFullyQualifiedDomainName } from "#/machinery/meta/text-rules.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { validateEndpointIp } from "../rules/endpoint-ip.ts";
import { validateNamespacedMeta } from "../rules/object-meta-rules.ts";

/** Upstream: pkg/apis/discovery/validation/validation.go, pkg/apis/discovery/v1/zz_generated.validations.go. */
const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
const zoneLabel = "topology.kubernetes.io/zone";
const maxTopologyLabels = 16;
const maxAddresses = 100;
const maxPorts = 20000;
const maxEndpoints = 1000;
const maxHints = 8;

/** Validation errors of an endpoint slice; old is the object that an update replaces. */
export function validateEndpointSlice(
  slice: Decoded<EndpointSlice>,
  old?: Decoded<EndpointSlice>,
): FieldError[] {
  const { metadata, addressType, ports = [], endpoints = [] } = slice;
  const errors = validateNamespacedMeta(metadata, nameIsDNSSubdomain);
  // The declared rules for an update say only that the field is immutable.
  if (old && addressType !== old.addressType) append(errors, validateAddressType(addressType));
  append(errors, validatePorts(ports));
  const sameEndpoints = old !== undefined && deepEqual(endpoints, old.endpoints ?? []);
  if (!sameEndpoints) append(errors, validateEndpoints(endpoints, addressType));
  if (!old) append(errors, validateAddressType(addressType));
  else if (addressType !== old.addressType) {
    errors.push(invalid(fieldPath("addressType"), null, immutableMessage));
  }
  if (!sameEndpoints && endpoints.length <= maxEndpoints) {
    append(errors, validateAddressCounts(endpoints));
  }
  return errors;
}

function validateAddressType(type: string): FieldError[] {
  const path = fieldPath("addressType");
  if (type === "") return [required(path)];
  if (addressTypes.includes(type)) return [];
  return [notSupported(path, new JsonValue(type), addressTypes)];
}

/** Rules that upstream declares with the type. */
function validateAddressCounts(endpoints: readonly Endpoint[]): FieldError[] {
  return endpoints.flatMap(({ addresses = [] }, index) => {
    const path = fieldPath("endpoints").index(index).child("addresses");
    if (addresses.length === 0) return [required(path)];
    if (addresses.length <= maxAddresses) return [];
    return [tooMany(path, addresses.length, maxAddresses)];
  });
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  const path = fieldPath("ports");
  if (ports.length > maxPorts) return [tooMany(path, ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const at = path.index(index);
    const errors = name === "" ? [] : problemsAt(at.child("name"), name, isDNS1123Label(name));
    if (names.has(name)) errors.push(duplicate(at.child("name"), name));
    names.add(name);
    if (protocol === undefined) errors.push(required(at.child("protocol")));
    else if (!protocols.includes(protocol)) {
      errors.push(notSupported(at.child("protocol"), new JsonValue(protocol), protocols));
    }
    if (appProtocol !== undefined) {
      errors.push(
        ...problemsAt(at.child("appProtocol"), appProtocol, isQualifiedName(appProtocol)),
      );
    }
    return errors;
  });
}

function validateEndpoints(endpoints: readonly Endpoint[], addressType: string): FieldError[] {
  const path = fieldPath("endpoints");
  if (endpoints.length > maxEndpoints) return [tooMany(path, endpoints.length, maxEndpoints)];
  return endpoints.flatMap((endpoint, index) =>
    validateEndpoint(endpoint, addressType, path.index(index)),
  );
}

function validateEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath): FieldError[] {
  const { addresses = [], nodeName, hostname, hints, deprecatedTopology } = endpoint;
  const errors: FieldError[] = [];
  addresses.forEach((address, index) => {
    append(errors, validateAddress(address, addressType, path.child("addresses"), index));
  });
  if (nodeName !== undefined) {
    const problems = nameIsDNSSubdomain(nodeName, false);
    append(errors, problemsAt(path.child("nodeName"), nodeName, problems));
  }
  append(errors, validateTopology(deprecatedTopology, path.child("deprecatedTopology")));
  if (hostname !== undefined) {
    append(errors, problemsAt(path.child("hostname"), hostname, isDNS1123Label(hostname)));
  }
  if (hints) append(errors, validateHints(hints, path.child("hints")));
  return errors;
}

function validateAddress(
  address: string,
  type: string,
  path: FieldPath,
  index: number,
): FieldError[] {
  const at = path.index(index);
  if (type === "FQDN") return validateFullyQualifiedDomainName(at, address);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = type === "IPv4" ? validateLegacyIp(at, address) : validateIp(at, address);
  if (errors.length > 0) return errors;
  const rightFamily = isIpv6(address) === (type === "IPv6");
  return [
    ...(rightFamily ? [] : [invalid(path, address, `must be an ${type} address`)]),
    ...validateEndpointIp(at, address),
  ];
}

function validateTopology(
  topology: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  if (!topology) return [];
  const errors: FieldError[] = [];
  const count = Object.keys(topology).length;
  if (count > maxTopologyLabels) errors.push(tooMany(path, count, maxTopologyLabels));
  append(errors, validateLabels(topology, path));
  if (Object.hasOwn(topology, zoneLabel)) {
    const cause = new Error("reserved key was not removed in conversion");
    errors.push(internalError(path.key(zoneLabel), cause));
  }
  return errors;
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: FieldPath) {
  const zones = path.child("forZones");
  if (forZones.length > maxHints) return [tooMany(zones, forZones.length, maxHints)];
  const errors = validateNames(forZones, zones, isLabelValue);
  const nodes = path.child("forNodes");
  if (forNodes.length > maxHints) return [...errors, tooMany(nodes, forNodes.length, maxHints)];
  append(
    errors,
    validateNames(forNodes, nodes, (name) => nameIsDNSSubdomain(name, false)),
  );
  return errors;
}

function validateNames(
  hints: readonly { readonly name: string }[],
  path: FieldPath,
  rule: (name: string) => Problems,
): FieldError[] {
  const seen = new Set<string>();
  return hints.flatMap(({ name }, index) => {
    const at = path.index(index).child("name");
    const twice = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...twice, ...problemsAt(at, name, rule(name))];
  });
}

const problemsAt = (path: FieldPath, value: string, problems: Problems): FieldError[] =>
  problems.map((problem) => invalid(path, value, problem));
