import type { Schema } from "#/api/base/schema.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { shapeOf, zeroOf } from "#/machinery/codec/shape/struct-shape.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { table } from "#/std/base/table.ts";
import { unifiedDiff } from "./unified-diff.ts";

/**
 * Values in the form of upstream's internal types: Go field names instead of JSON names, and every field.
 * Types of metav1 have no internal form and keep their JSON names.
 */
export function internalForm(
  value: unknown,
  schema: Schema,
  maxItems = Number.POSITIVE_INFINITY,
): unknown {
  if (schema.type === "list") {
    if (!Array.isArray(value)) return null;
    return value.slice(0, maxItems).map((item) => internalForm(item, schema.items, maxItems));
  }
  if (schema.type === "map") return value === undefined ? null : inKeyOrder(value as object);
  if (schema.type !== "struct" || schema.unstructured) return value;
  const { name: typeName = "" } = schema;
  if (typeName.startsWith("io.k8s.apimachinery.")) return value;
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const form: Record<string, unknown> = {};
  for (const { name, schema: field, field: facts } of shapeOf(schema).fields) {
    if (name === "metadata") {
      // Go embeds it, so its fields belong to the outer object.
      Object.assign(form, withSortedMaps(object[name] as ObjectMeta | undefined));
      continue;
    }
    const absent = object[name] === undefined;
    form[goName(name, typeName)] =
      absent && facts.pointer
        ? null
        : internalForm(absent ? zeroOf(field) : object[name], field, maxItems);
  }
  return form;
}

const withSortedMaps = (meta: ObjectMeta = {}): ObjectMeta => ({
  ...meta,
  ...(meta.labels ? { labels: inKeyOrder(meta.labels) } : {}),
  ...(meta.annotations ? { annotations: inKeyOrder(meta.annotations) } : {}),
});

const inKeyOrder = <T extends object>(map: T): T =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) as T;

/** A value in the internal form, as indented JSON. */
export function internalJson(value: unknown, schema: Schema): string {
  return goJson(internalForm(value, schema), " ");
}

/** A value of a core type in the internal form. */
export function coreInternalForm(type: string, value: unknown): unknown {
  return internalForm(value, coreType(type));
}

/** Limit of the items of a list in a diff (count): the answer would not contain more. */
const maxShownItems = 1_000;

/** The diff of two values of a core type, as messages show it. */
export function coreInternalDiff(type: string, before: unknown, after: unknown): string {
  const schema = coreType(type);
  const shown = (value: unknown): string => goJson(internalForm(value, schema, maxShownItems), " ");
  return unifiedDiff(shown(before), shown(after));
}

/** A value of a type of a group version ("flowcontrol/v1") in the internal form. */
export function groupInternalForm(groupVersion: string, type: string, value: unknown): unknown {
  return internalForm(value, typeOf(groupVersion, type));
}

const coreType = (name: string): Schema => typeOf("core/v1", name);

function typeOf(groupVersion: string, name: string): Schema {
  const schema = findDefinition(groupVersion, name);
  if (!schema) throw new Error(`${groupVersion} has no type ${name}`);
  return schema;
}

/** Field names that are not simply capitalised. */
const goNames: Readonly<Record<string, string>> = table({
  apiGroup: "APIGroup",
  apiGroups: "APIGroups",
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cel: "CEL",
  cephfs: "CephFS",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  csi: "CSI",
  diskURI: "DataDiskURI",
  dnsConfig: "DNSConfig",
  dnsPolicy: "DNSPolicy",
  endpoints: "EndpointsName",
  fc: "FC",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  grpc: "GRPC",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  ip: "IP",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  nfs: "NFS",
  os: "OS",
  pdID: "PdID",
  pdName: "PDName",
  rbd: "RBD",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  seLinuxOptions: "SELinuxOptions",
  serviceAccount: "DeprecatedServiceAccount",
  sslEnabled: "SSLEnabled",
  storageos: "StorageOS",
  tcpSocket: "TCPSocket",
  tty: "TTY",
  uid: "UID",
  wwids: "WWIDs",
});

/** Go field names of RBD volumes only. */
const rbdNames: Readonly<Record<string, string>> = table({
  image: "RBDImage",
  monitors: "CephMonitors",
  pool: "RBDPool",
  user: "RadosUser",
});

function goName(name: string, typeName: string): string {
  if (name === "serviceAccount" && !typeName.endsWith(".PodSpec")) return "ServiceAccount";
  const special = typeName.includes(".RBD") ? rbdNames[name] : undefined;
  return special ?? goNames[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}
