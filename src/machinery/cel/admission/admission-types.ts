import { table } from "#/std/base/table.ts";
import type { TypeProvider } from "../model/type-provider.ts";
import {
  boolType,
  type CelType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  stringType,
  timestampType,
} from "../type/cel-type.ts";

/** Fields of the objects that policies can read in addition to the request, by type name. */
const objects: Readonly<Record<string, Readonly<Record<string, CelType>>>> = table({
  "kubernetes.GroupVersionKind": { group: stringType, version: stringType, kind: stringType },
  "kubernetes.GroupVersionResource": {
    group: stringType,
    version: stringType,
    resource: stringType,
  },
  "kubernetes.UserInfo": {
    username: stringType,
    uid: stringType,
    groups: listOf(stringType),
    extra: mapOf(stringType, listOf(stringType)),
  },
  "kubernetes.AdmissionRequest": {
    kind: objectType("kubernetes.GroupVersionKind"),
    resource: objectType("kubernetes.GroupVersionResource"),
    subResource: stringType,
    requestKind: objectType("kubernetes.GroupVersionKind"),
    requestResource: objectType("kubernetes.GroupVersionResource"),
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: objectType("kubernetes.UserInfo"),
    dryRun: boolType,
    options: dynType,
  },
  "kubernetes.NamespaceSpec": { finalizers: listOf(stringType) },
  "kubernetes.NamespaceCondition": {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  },
  "kubernetes.NamespaceStatus": {
    conditions: listOf(objectType("kubernetes.NamespaceCondition")),
    phase: stringType,
  },
  "kubernetes.NamespaceMetadata": {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: listOf(stringType),
  },
  "kubernetes.Namespace": {
    metadata: objectType("kubernetes.NamespaceMetadata"),
    spec: objectType("kubernetes.NamespaceSpec"),
    status: objectType("kubernetes.NamespaceStatus"),
  },
});

/** The type of the variable `request`. */
export const requestType: CelType = objectType("kubernetes.AdmissionRequest");

/** The type of the variable `namespaceObject`. */
export const namespaceType: CelType = objectType("kubernetes.Namespace");

/** The type of the variable `variables`; its fields are the policy's variables. */
export const variablesType: CelType = objectType("kubernetes.variables");

const types: ReadonlyMap<string, CelType> = new Map(
  Object.keys(objects).map((name) => [name, objectType(name)]),
);

const fieldsOf = new Map(
  Object.entries(objects).map(([name, fields]) => [name, new Map(Object.entries(fields))]),
);

/**
 * The types of the variables that policies can read.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/cel/compile.go.
 */
export const admissionTypes: TypeProvider = {
  findType: (name) => types.get(name),
  findField: (typeName, field) => fieldsOf.get(typeName)?.get(field),
};
