import { parseApiVersion } from "#/machinery/meta/api-version.ts";

/** The metadata fields that kubectl uses, of any object. */
export interface Metadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields?: unknown[];
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  [field: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

/** An object of any kind, as JSON. */
export interface Unstructured {
  apiVersion?: string;
  kind?: string;
  metadata?: Metadata;
  [field: string]: unknown;
}

/** Objects of any kind. */
export interface UnstructuredList extends Unstructured {
  metadata: Metadata & { continue?: string; remainingItemCount?: number };
  items: Unstructured[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind and API version of an object. */
export function kindOf({ apiVersion = "", kind = "" }: Unstructured): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind };
}

/** `deployment.apps`, the prefix of printed names. */
export function kindText({ apiVersion = "", kind = "" }: Unstructured): string {
  const { group } = parseApiVersion(apiVersion);
  return group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

/** Whether an object is a list of others. */
export function isList(object: Unstructured | undefined): object is UnstructuredList {
  return Array.isArray(object?.["items"]);
}

/** The value at a path of fields; undefined if any of them is missing. */
export function fieldAt(object: unknown, ...path: readonly (string | number)[]): unknown {
  let value = object;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** Sets the value at a path of fields; creates the objects on the path. */
export function setFieldAt(object: object, path: readonly string[], value: unknown): void {
  let target = object as Record<string, unknown>;
  for (const step of path.slice(0, -1)) {
    const next = target[step];
    if (typeof next !== "object" || next === null) target[step] = {};
    target = target[step] as Record<string, unknown>;
  }
  target[path.at(-1) ?? ""] = value;
}

/** Items of a typed list may lack apiVersion and kind. */
export function withListKind<T extends { kind?: string; apiVersion?: string }>(
  item: T,
  list: { kind?: string; apiVersion?: string },
): T {
  if (item.kind || list.kind === "List" || !list.kind?.endsWith("List")) return item;
  return { apiVersion: list.apiVersion, kind: list.kind.slice(0, -4), ...item };
}

/** A new object has no resourceVersion. */
export function withoutVersion(object: Unstructured): Unstructured {
  if (object.metadata?.resourceVersion === undefined) return object;
  const { resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}
