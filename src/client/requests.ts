import type { Resource } from "#/api/base/resource.ts";
import type { DeleteOptions, Preconditions } from "#/api/meta/v1.ts";
import { type ObjectRef, resourcePath } from "./resource-path.ts";
import type { ApiRequest, QueryValues } from "./transport/transport.ts";

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of reads. */
interface ReadOptions extends RequestOptions {
  /** Whether only the metadata of objects is sent; in process whole objects are shared anyway. */
  readonly metadataOnly?: boolean | undefined;
}

export interface GetOptions extends ReadOptions {
  readonly resourceVersion?: string | undefined;
}

/** Selects objects. */
export interface SelectOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends ReadOptions, SelectOptions {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WatchOptions extends ReadOptions, SelectOptions {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Whether bookmarks are sent; default true. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The watch begins with all existing objects; needs resourceVersionMatch. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

type PatchType = "json" | "merge" | "strategic" | "apply";

export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  /** Takes over fields of other managers; for apply only. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
}

export interface RemoveOptions extends RequestOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly dryRun?: boolean | undefined;
}

const patchContentTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** GET of one object, or of a subresource of it. */
export function getRequest(
  resource: Resource,
  ref: ObjectRef,
  options: GetOptions = {},
  subresource?: string,
): ApiRequest {
  const query = { resourceVersion: options.resourceVersion };
  const path = objectPath(resource, ref, subresource);
  return { method: "GET", path, query, ...read(options, "PartialObjectMetadata") };
}

export function listRequest(resource: Resource, options: ListOptions = {}): ApiRequest {
  const query = {
    ...selection(options),
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    timeoutSeconds: options.timeoutSeconds,
  };
  return {
    method: "GET",
    path: resourcePath(resource, options),
    query,
    ...read(options, "PartialObjectMetadataList"),
  };
}

export function watchRequest(resource: Resource, options: WatchOptions = {}): ApiRequest {
  const query = {
    watch: true,
    ...selection(options),
    allowWatchBookmarks: options.allowWatchBookmarks ?? true,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  };
  return {
    method: "GET",
    path: resourcePath(resource, options),
    query,
    ...read(options, "PartialObjectMetadata"),
  };
}

/** POST of a new object, or to a subresource of one. */
export function createRequest(
  resource: Resource,
  target: Partial<ObjectRef>,
  body: unknown,
  options: WriteOptions = {},
  subresource?: string,
): ApiRequest {
  const path = resourcePath(resource, target, subresource);
  return { method: "POST", path, query: writeQuery(options), body, ...rest(options) };
}

/** PUT of an object, or of a subresource of one. */
export function updateRequest(
  resource: Resource,
  ref: ObjectRef,
  body: unknown,
  options: WriteOptions = {},
  subresource?: string,
): ApiRequest {
  const path = objectPath(resource, ref, subresource);
  return { method: "PUT", path, query: writeQuery(options), body, ...rest(options) };
}

export function patchRequest(
  resource: Resource,
  ref: ObjectRef,
  patch: unknown,
  options: PatchOptions,
): ApiRequest {
  return {
    method: "PATCH",
    path: objectPath(resource, ref, options.subresource),
    query: { ...writeQuery(options), force: options.force },
    body: patch,
    ...rest(options),
    headers: { "content-type": patchContentTypes[options.type], ...options.headers },
  };
}

export function deleteRequest(
  resource: Resource,
  ref: ObjectRef,
  options: RemoveOptions = {},
): ApiRequest {
  const path = objectPath(resource, ref);
  return { method: "DELETE", path, body: deleteOptions(options), ...rest(options) };
}

export function deleteCollectionRequest(
  resource: Resource,
  options: RemoveOptions & ListOptions = {},
): ApiRequest {
  const { query, path } = listRequest(resource, options);
  return { method: "DELETE", path, query, body: deleteOptions(options), ...rest(options) };
}

/** The path of an object, whose name is required: an empty one would mean the collection. */
function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): string {
  if (ref.name === "") throw new Error("resource name may not be empty");
  if (resource.namespaced && !ref.namespace) {
    throw new Error("an empty namespace may not be set when a resource name is provided");
  }
  return resourcePath(resource, ref, subresource);
}

/** The common options of a read, with the media type of metadata if only that is asked for. */
function read(options: ReadOptions, kind: string): Partial<ApiRequest> {
  const common = rest(options);
  if (!options.metadataOnly) return common;
  const accept = `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
  return { ...common, headers: { accept, ...options.headers } };
}

function selection({ labelSelector, fieldSelector }: SelectOptions): QueryValues {
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): QueryValues {
  return { dryRun: dryRun ? "All" : undefined, fieldManager, fieldValidation };
}

function deleteOptions(options: RemoveOptions): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}

function rest({ signal, timeoutMs, headers }: RequestOptions): Partial<ApiRequest> {
  return {
    ...(signal ? { signal } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(headers ? { headers } : {}),
  };
}
