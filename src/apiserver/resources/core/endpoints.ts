import {
  type EndpointAddress,
  type EndpointPort,
  type EndpointSubset,
  type Endpoints,
  endpoints as handle,
} from "#/api/core/v1.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings, validateLegacyIp } from "#/machinery/meta/ip-rules.ts";
import {
  isDNS1123Label,
  isQualifiedName,
  nameIsDNSSubdomain,
  type Problems,
} from "#/machinery/meta/names.ts";
import { isPortNumber } from "#/machinery/meta/text-rules.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateEndpointIp } from "../rules/endpoint-ip.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";

/** Upstream: pkg/registry/core/endpoint/strategy.go, pkg/apis/core/validation/validation.go. */
export const endpoints = serve(handle, {
  storageName: "services/endpoints",
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  allowCreateOnUpdate: true,
  setDefaults({ subsets }) {
    for (const { ports } of subsets ?? []) {
      for (const port of ports ?? []) port.protocol ||= "TCP";
    }
  },
  validate: (object) => validateEndpoints(object),
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateEndpoints(object, old),
  ],
  warnings: addressWarnings,
  columns: [
    nameColumn,
    { name: "Endpoints", type: "string", cell: ({ subsets }) => formatEndpoints(subsets ?? []) },
    ageColumn,
  ],
});

function validateEndpoints(object: Decoded<Endpoints>, old?: Decoded<Endpoints>): FieldError[] {
  const errors = validateNamespacedMeta(object.metadata, nameIsDNSSubdomain);
  const { subsets = [] } = object;
  const found = subsets.flatMap((subset, index) =>
    validateSubset(subset, fieldPath("subsets").index(index)),
  );
  // Subsets that an update does not change are not checked.
  if (found.length > 0 && old && deepEqual(subsets, old.subsets)) return errors;
  append(errors, found);
  return errors;
}

function validateSubset(subset: EndpointSubset, path: FieldPath): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  addresses.forEach((address, index) => {
    append(errors, validateAddress(address, path.child("addresses").index(index)));
  });
  notReadyAddresses.forEach((address, index) => {
    append(errors, validateAddress(address, path.child("notReadyAddresses").index(index)));
  });
  ports.forEach((port, index) => {
    append(errors, validatePort(port, ports.length > 1, path.child("ports").index(index)));
  });
  return errors;
}

function validateAddress(address: EndpointAddress, path: FieldPath): FieldError[] {
  const { ip, hostname, nodeName } = address;
  const errors = validateLegacyIp(path.child("ip"), ip);
  const add = (field: string, value: string, problems: Problems): void => {
    for (const problem of problems) errors.push(invalid(path.child(field), value, problem));
  };
  if (hostname) add("hostname", hostname, isDNS1123Label(hostname));
  if (nodeName !== undefined) add("nodeName", nodeName, nameIsDNSSubdomain(nodeName, false));
  append(errors, validateEndpointIp(path.child("ip"), ip));
  return errors;
}

const protocols = ["SCTP", "TCP", "UDP"];

function validatePort(port: EndpointPort, requireName: boolean, path: FieldPath): FieldError[] {
  const { name = "", protocol = "", appProtocol } = port;
  const errors: FieldError[] = [];
  if (requireName && name === "") errors.push(required(path.child("name")));
  else if (name !== "") {
    for (const problem of isDNS1123Label(name)) {
      errors.push(invalid(path.child("name"), name, problem));
    }
  }
  for (const problem of isPortNumber(port.port)) {
    errors.push(invalid(path.child("port"), port.port, problem));
  }
  if (protocol === "") errors.push(required(path.child("protocol")));
  else if (!protocols.includes(protocol)) {
    errors.push(notSupported(path.child("protocol"), new JsonValue(protocol), protocols));
  }
  if (appProtocol !== undefined) {
    for (const problem of isQualifiedName(appProtocol)) {
      errors.push(invalid(path.child("appProtocol"), appProtocol, problem));
    }
  }
  return errors;
}

/** Warnings for addresses; the endpoints controller writes canonical ones, and many, so its objects are skipped. */
function addressWarnings({ metadata, subsets }: Decoded<Endpoints>): string[] {
  const managed = metadata.labels?.["endpoints.kubernetes.io/managed-by"];
  if (managed === "endpoint-controller") return [];
  return (subsets ?? []).flatMap((subset, index) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, at) =>
        ipWarnings(fieldPath("subsets").index(index).child(field).index(at).child("ip"), ip),
      ),
    ),
  );
}

const shownEndpoints = 3;

function formatEndpoints(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const list = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => joinHostPort(ip, port)));
  });
  const shown = list.slice(0, shownEndpoints).join(",");
  if (list.length <= shownEndpoints) return shown;
  return `${shown} + ${list.length - shownEndpoints} more...`;
}

const joinHostPort = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
