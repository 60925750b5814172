import type { Schema } from "#/api/schema.ts";
import { shapeOf, zeroOf } from "#/machinery/codec/struct-shape.ts";

/**
 * Values as upstream's internal types look in messages: Go's names of fields instead of JSON's, and nothing left out.
 * Types of metav1 have no internal form and keep JSON's.
 */
export function internalForm(value: unknown, schema: Schema): unknown {
  if (schema.type === "list") {
    return Array.isArray(value) ? value.map((item) => internalForm(item, schema.items)) : null;
  }
  if (schema.type === "map") return value ?? null;
  if (schema.type !== "struct" || schema.name === undefined) return value;
  if (schema.name.startsWith("io.k8s.apimachinery.")) return value;
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const form: Record<string, unknown> = {};
  for (const { name, schema: field, field: facts } of shapeOf(schema).fields) {
    const absent = object[name] === undefined;
    form[goName(name)] =
      absent && facts.pointer ? null : internalForm(absent ? zeroOf(field) : object[name], field);
  }
  return form;
}

/** A value in that form, as indented JSON. */
export function internalJson(value: unknown, schema: Schema): string {
  return JSON.stringify(internalForm(value, schema), null, 1);
}

/** Names whose words are not simply capitalised. */
const goNames: Readonly<Record<string, string>> = {
  apiGroup: "APIGroup",
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cephfs: "CephFS",
  csi: "CSI",
  endpoints: "EndpointsName",
  fc: "FC",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  image: "RBDImage",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  monitors: "CephMonitors",
  nfs: "NFS",
  pdID: "PdID",
  pdName: "PDName",
  pool: "RBDPool",
  rbd: "RBD",
  storageos: "StorageOS",
  uid: "UID",
  wwids: "WWIDs",
};

const goName = (name: string): string =>
  goNames[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
