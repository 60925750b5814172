import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import type { ObjectMeta, TableRowCondition } from "#/api/meta/v1-definitions.ts";
import { type PatchType, patchTypes } from "#/machinery/codec/media-type.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { ResourceName } from "../model/resource-name.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { Result } from "./result.ts";
import type { CommonHooks, ServerRules } from "./sharing/common-hooks.ts";
import type { Store } from "./store.ts";

/** Any object the server stores. Metadata is there once the object has passed decoding. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object of a generated type, as hooks see it: decoded, so that its metadata is there. */
export type Decoded<T> = T & ApiObject;

/** What hooks may know of the request that they are part of. */
export interface RequestContext extends ServerRules {
  readonly user: UserInfo | undefined;
  /** In which version the client speaks of the object ("apps/v1"); absent when the server writes by itself. */
  readonly apiVersion?: string;
  readonly namespace: string;
  readonly subresource: string;
  readonly dryRun: boolean;
  /** Wall clock, in milliseconds. */
  readonly now: number;
  /** Says what else the user may do. */
  readonly authorizer: Authorizer;
  /** Adds a Warning header. */
  warn(text: string): void;
  /** The objects of another resource; programmer error if it isn't served. */
  store(resource: ResourceName): Store;
}

/**
 * What is special about one resource: hooks around the verbs, all optional. Hooks may change `object` (it belongs to
 * the request) but never `old` (it is shared with every reader). Validation returns all errors, in upstream's order.
 */
export interface Strategy<T = ApiObject> {
  /**
   * Fills in what the client left out, but for the common field; runs on every decoded object and again on what is read from
   * the store. To be called by way of setDefaults() in set-defaults.ts.
   */
  setDefaults?(object: Decoded<T>): void;
  /** Clears what a client may not set on create (status), and sets the first generation where there is one. */
  prepareForCreate?(object: Decoded<T>, context: RequestContext): void;
  /** Keeps what a client may not change (status) and bumps the generation when the spec has changed. */
  prepareForUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): void;
  /** `common` is what `common.validate` has found, where there is such a hook and it could say. */
  validate?(
    object: Decoded<T>,
    context: RequestContext,
    common?: readonly FieldError[],
  ): readonly FieldError[];
  validateUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): readonly FieldError[];
  /** Whether the user may make a change that is valid: what validation can't say without asking others. */
  permitUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): Promise<readonly FieldError[]>;
  /** `common` is what `common.warnings` has found in a new object, where there is such a hook. */
  warnings?(
    object: Decoded<T>,
    old: Decoded<T> | undefined,
    context: RequestContext,
    common?: readonly string[],
  ): readonly string[];
  /**
   * A field that many objects have in common, with the hooks that look at it alone. From prepareForCreate on its value may be
   * that of other objects, which is not changed any more.
   */
  readonly common?: CommonHooksOf<T>;
  /** Brings a valid object into the one form that is stored. */
  canonicalize?(object: Decoded<T>): void;

  /** Fields a field selector may name besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: Decoded<T>) => string>>;
  /** What a selector for another field is told; upstream's texts differ by kind. */
  unknownFieldMessage?(field: string): string;
  /** The one of selectableFields by which watchers are indexed (spec.nodeName). */
  readonly indexedField?: string;
  /** The columns of `kubectl get`; the default is Name and Created At. */
  readonly columns?: readonly Column<T>[];
  /** The cells of all columns, where that is easier in one go; same order as columns. */
  rowCells?(object: Decoded<T>, now: number): readonly unknown[];
  /** What a table says of the object besides its cells: that it has completed, for instance. */
  rowConditions?(object: Decoded<T>): readonly TableRowCondition[] | undefined;

  /** A PUT of something that doesn't exist creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** False when an update must name a resourceVersion; true is the rule. */
  readonly allowUnconditionalUpdate?: boolean;

  /**
   * How long the object may take to end: undefined deletes at once. Called only when the object is not yet being
   * deleted; requested is what the client asked for.
   */
  gracePeriodSeconds?(object: Decoded<T>, requested: number | undefined): number | undefined;
  /** What happens to dependents when a delete says nothing; unsupported for events and the like. */
  readonly garbageCollection?: "background" | "orphan" | "unsupported";
  /** Why an object of this name may not be deleted, if it may not. */
  refuseDelete?(name: string): string | undefined;
  /** What a delete that says nothing of dependents is warned of. */
  readonly deleteWarning?: string;
  /** Its objects are namespaces: a request that creates one counts as being in it. */
  readonly isNamespace?: boolean;
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Finalizers that the object gets when its deletion begins, so that the server can clean up first. */
  readonly deletionFinalizers?: readonly string[];
  /**
   * Says no to removing an object whose finalizers are gone (a namespace with spec.finalizers). The first delete of such
   * a kind never removes: it marks the object and calls onDeleteBegun.
   */
  mayRemove?(object: Decoded<T>): boolean;
  /** Called with the object a delete request found; may change it (a namespace's phase) when deletion only begins. */
  onDeleteBegun?(object: Decoded<T>): void;

  /** The version in which upstream stores the object, as discovery tells it, where ours is another. */
  readonly upstreamStorageVersion?: string;

  /** Seconds after which the object expires (events). */
  timeToLiveSeconds?(object: Decoded<T>): number | undefined;

  /** Fields that apply never owns at this endpoint: paths such as "status" or "metadata.generation". */
  readonly resetFields?: readonly string[];

  /** Claims what must be unique in the cluster (addresses, ports). The claim is given back if the write fails. */
  beginCreate?(object: Decoded<T>, context: RequestContext): MaybePromise<Claim>;
  beginUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): MaybePromise<Claim>;
  afterDelete?(object: Decoded<T>, context: RequestContext): MaybePromise<void>;

  /** The status subresource: true for the usual, or its own hooks. */
  readonly status?: true | ViewStrategy<T>;
  readonly scale?: ScalePaths | ScaleMapping<T>;
  /** Other subresources through which part of the object is written (approval, ephemeralcontainers, resize). */
  readonly views?: Readonly<Record<string, ViewStrategy<T>>>;
  /** The resource isn't stored (reviews): these are all its verbs. */
  readonly verbs?: ActionStrategy;
  /** Subresources that do something else altogether (log, exec, eviction, token). */
  readonly actions?: Readonly<Record<string, ActionStrategy>>;
}

/** The hooks of one field of a kind; of any field where the kind is not known. */
type CommonHooksOf<T> = ApiObject extends T
  ? CommonHooks
  : {
      [Field in keyof T & string]: CommonHooks<NonNullable<T[Field]>> & { readonly field: Field };
    }[keyof T & string];

/** What a subresource does, by verb: get, create, update, patch, delete, or connect for all methods. */
export type ActionStrategy = Readonly<
  Record<string, (request: ResourceRequest) => Promise<Result>>
>;

/**
 * Hooks of a write through a subresource. Without prepareForUpdate, status is taken from the new object and everything
 * else (but managedFields) stays as it was.
 */
export interface ViewStrategy<T = ApiObject> {
  prepareForUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): void;
  validateUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): readonly FieldError[];
  warnings?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): readonly string[];
  permitUpdate?: Strategy<T>["permitUpdate"];
  readonly resetFields?: readonly string[];
}

/** Where a scalable resource keeps its numbers, as dotted paths. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Path of a label selector, structured or as a string. */
  readonly selector?: string;
}

/** For resources whose scale can't be said in paths. */
export interface ScaleMapping<T> {
  replicas(object: Decoded<T>): number;
  setReplicas(object: Decoded<T>, replicas: number): void;
  statusReplicas(object: Decoded<T>): number;
  selector(object: Decoded<T>): string;
}

/** A claim on something unique, to be kept or given back. */
export interface Claim {
  commit(): MaybePromise<void>;
  rollback(): MaybePromise<void>;
}

/** One column of a Table. */
export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  /** 0 is always shown; higher is shown by -o wide only. */
  readonly priority?: number;
  readonly description?: string;
  readonly cell?: (object: Decoded<T>, now: number) => unknown;
}

/** A resource in one served version: how it differs from the stored one. */
export interface ServedVersion {
  readonly handle: Resource;
  /** From this version to the stored one, in place or as a new object; absent where only apiVersion differs. */
  toStored?(object: ApiObject): ApiObject;
  fromStored?(object: ApiObject): ApiObject;
  /** In place of these where conversion needs I/O. */
  readonly webhook?: WebhookConversion;
  /** Brings a body into shape as soon as it is read: custom resources drop nulls that nothing allows. */
  coerce?(object: ApiObject): void;
  /** Defaults that only this version has, on the object as it was sent. */
  setDefaults?(object: ApiObject): void;
  /** What OpenAPI publishes where no Go type stands behind the resource: the schema as a definition gives it. */
  readonly openApi?: {
    readonly schema?: JSONSchemaProps;
    readonly listKind: string;
    /** Fields that selectors may name, as in `spec.size`. */
    readonly selectableFields?: readonly string[];
  };
  /** The scale of this version where it differs from the resource's. */
  readonly scale?: ScalePaths;
  /** Fields that selectors may name in this version, where they differ from the resource's. */
  readonly selectableFields?: Strategy["selectableFields"];
  /** Columns of this version where they differ from the resource's. */
  readonly columns?: readonly Column[];
  /** What every request for this version is warned of: that it will go, and what to use instead. */
  readonly deprecation?: string;
  /** Field labels of this version and what they are called in the strategy's selectableFields; absent where the same. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
}

/** Conversion of one version by a server elsewhere. Stored objects may be in any version. */
export interface WebhookConversion {
  toStored(object: ApiObject): Promise<ApiObject>;
  fromStored(object: ApiObject): Promise<ApiObject>;
  /** Converts stored objects together ahead of time, so that `prepared` has them when they are written to a client. */
  prepare(objects: readonly ApiObject[]): Promise<void>;
  /** A stored object in this version if it has been prepared or needs no conversion. */
  prepared(object: ApiObject): ApiObject | undefined;
}

/** The versions of a custom resource as field management sees them: those that are not served count, too. */
export interface ManagedVersions {
  /** Undefined if the definition has no such version. */
  schemaOf(apiVersion: string): StructSchema | undefined;
  /** An object in another version, without defaults; absent where only apiVersion differs. */
  convert?(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/**
 * What clients can tell of where a resource comes from: upstream serves its own by a router and from Go types, custom ones by
 * one handler and from maps. Each difference has a property, which those that declare resources set.
 */
export interface Origin {
  /**
   * A router knows the paths, verbs and media types, and refuses others in its own words; elsewhere one handler is given
   * every path of the group.
   */
  readonly isRouted: boolean;
  /** The ways to patch its objects. */
  readonly patchTypes: readonly PatchType[];
  /** Aggregated discovery leaves out the group and version of kinds that have those of the resource. */
  readonly abbreviatesKind: boolean;
  /** A scale is checked by itself; elsewhere that is left to the rules of the field behind it. */
  readonly checksScale: boolean;
}

/** Resources that ship with the server. */
const builtIn: Origin = { isRouted: true, patchTypes, abbreviatesKind: true, checksScale: true };

/** A resource as the server knows it: identity and behaviour. Built-in and custom resources alike. */
export interface Declaration extends Strategy, Origin {
  /** The stored version. */
  readonly handle: Resource;
  /** The versions that are served, in order of preference; the stored one need not be among them. */
  readonly versions: readonly ServedVersion[];
  /** Where field managers do not see the served versions and their conversions. */
  readonly managedVersions?: ManagedVersions;
  /** Key prefix under /registry where it isn't the plural name (minions, services/specs). */
  readonly storageName?: string;
  /** The resource is served only while this feature is on. */
  readonly gate?: string;
}

/** What a built-in resource says besides its hooks. */
interface ServeOptions {
  /** Served versions besides the stored one. */
  readonly versions?: readonly ServedVersion[];
  /** The stored version is not itself served. */
  readonly storedVersionHidden?: boolean;
  readonly storageName?: string;
  /** The resource is served only while this feature is on. */
  readonly gate?: string;
  /** What every request for the stored version is warned of. */
  readonly deprecation?: string;
}

/** Declares a resource: its handle (in the stored version), and what is special about it. */
export function serve<T>(
  handle: Resource<T>,
  strategy: Strategy<T> & ServeOptions = {},
): Declaration {
  const { versions = [], storedVersionHidden = false, deprecation, ...hooks } = strategy;
  const stored = deprecation === undefined ? { handle } : { handle, deprecation };
  const served = storedVersionHidden ? versions : [stored, ...versions];
  return { ...(hooks as unknown as Strategy), ...builtIn, handle, versions: served };
}
