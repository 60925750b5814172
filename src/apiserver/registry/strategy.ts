import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import type { ObjectMeta, TableRowCondition } from "#/api/meta/v1-definitions.ts";
import { type PatchType, patchTypes } from "#/machinery/codec/media-type.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { MaybeSteps } from "#/std/base/steps.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { Pace } from "../model/pace.ts";
import type { ResourceName } from "../model/resource-name.ts";
import type { Trail } from "../model/trail.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { Result } from "./result.ts";
import type { CommonHooks, ServerRules } from "./sharing/common-hooks.ts";
import type { Store } from "./store.ts";
import type { WriteTerm } from "./terms/write-in-term.ts";

/** Any object the server stores. Metadata is set once the object is decoded. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object of a generated type, as hooks see it: decoded, with metadata. */
export type Decoded<T> = T & ApiObject;

/** The request, as hooks see it. */
export interface RequestContext extends ServerRules {
  readonly user: UserInfo | undefined;
  /** The version of the client's object ("apps/v1"); absent for the server's own writes. */
  readonly apiVersion?: string;
  readonly namespace: string;
  readonly subresource: string;
  readonly dryRun: boolean;
  /** Wall clock, in milliseconds. */
  readonly now: number;
  /** For checks of further permissions of the user. */
  readonly authorizer: Authorizer;
  /** The pace of a request with a large body; its steps take turns with other requests. */
  readonly pace?: Pace | undefined;
  /** The time within which the client wants its writes done; undefined for any. */
  readonly term?: WriteTerm | undefined;
  /** The record of the request's way, if it is recorded. */
  readonly trail?: Trail | undefined;
  /** Adds a Warning header. */
  warn(text: string): void;
  /** The objects of another resource; throws for one that isn't served (programmer error). */
  store(resource: ResourceName): Store;
}

/**
 * The behaviour of one resource: hooks around the verbs, all optional. Hooks may change `object` (it belongs to the
 * request) but never `old` (it is shared with every reader). Validation returns all errors, in upstream's order.
 */
export interface Strategy<T = ApiObject> {
  /**
   * Sets defaults, except in the common field; runs on every decoded object and again on every object read from the
   * store. Called only by setDefaults() in set-defaults.ts.
   */
  setDefaults?(object: Decoded<T>): void;
  /**
   * Clears the fields that a client may not set on create (status), and sets the first generation if the kind has one.
   */
  prepareForCreate?(object: Decoded<T>, context: RequestContext): void;
  /** Keeps the fields that a client may not change (status) and increases the generation if the spec has changed. */
  prepareForUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): void;
  /**
   * `common` is the result of `common.validate`, if there is such a hook and it had one. Rules that may take long, such
   * as those with expressions, are in steps.
   */
  validate?(
    object: Decoded<T>,
    context: RequestContext,
    common?: readonly FieldError[],
  ): MaybeSteps<readonly FieldError[]>;
  validateUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): MaybeSteps<readonly FieldError[]>;
  /** Whether the user may make this valid change: checks that need further authorization. */
  permitUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): Promise<readonly FieldError[]>;
  /** `common` is the result of `common.warnings` for a new object, if there is such a hook. */
  warnings?(
    object: Decoded<T>,
    old: Decoded<T> | undefined,
    context: RequestContext,
    common?: readonly string[],
  ): readonly string[];
  /**
   * A field that many objects have in common, with the hooks that read only it. From prepareForCreate on its value may
   * be shared with other objects, and is then immutable.
   */
  readonly common?: CommonHooksOf<T>;
  /** Brings a valid object into its canonical stored form. */
  canonicalize?(object: Decoded<T>): void;

  /** Fields a field selector may name besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: Decoded<T>) => string>>;
  /** The error for a selector with another field; upstream's texts differ by kind. */
  unknownFieldMessage?(field: string): string;
  /** The one of selectableFields by which watchers are indexed (spec.nodeName). */
  readonly indexedField?: string;
  /** The columns of `kubectl get`; the default is Name and Created At. */
  readonly columns?: readonly Column<T>[];
  /** The cells of all columns, if it is simpler to compute them together; same order as columns. */
  rowCells?(object: Decoded<T>, now: number): readonly unknown[];
  /** Conditions of the object's table row: that it has completed, for instance. */
  rowConditions?(object: Decoded<T>): readonly TableRowCondition[] | undefined;

  /** A PUT of a missing object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** False if an update must have a resourceVersion; default true. */
  readonly allowUnconditionalUpdate?: boolean;

  /**
   * Grace period of a deletion (s): undefined deletes at once. Called only if the object is not yet being deleted;
   * `requested` is the client's value.
   */
  gracePeriodSeconds?(object: Decoded<T>, requested: number | undefined): number | undefined;
  /** Default handling of dependents on delete; unsupported for events and the like. */
  readonly garbageCollection?: "background" | "orphan" | "unsupported";
  /** The reason why an object of this name may not be deleted, if any. */
  refuseDelete?(name: string): string | undefined;
  /** Warning for a delete without a propagation policy. */
  readonly deleteWarning?: string;
  /** Nothing is recorded of its objects: they are secret, or about others, or written all the time. */
  readonly isUnrecorded?: boolean;
  /** The node that reports what happens to an object. */
  reportingNode?(object: Decoded<T>): string | undefined;
  /** Its objects are namespaces: a request that creates one counts as being in it. */
  readonly isNamespace?: boolean;
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Finalizers that the object gets when its deletion begins, so that the server can clean up first. */
  readonly deletionFinalizers?: readonly string[];
  /**
   * Refuses the removal of an object without finalizers (a namespace with spec.finalizers). The first delete of such a
   * kind never removes: it marks the object and calls onDeleteBegun.
   */
  mayRemove?(object: Decoded<T>): boolean;
  /** Called with the object of a delete request; may change it (a namespace's phase) if deletion only begins. */
  onDeleteBegun?(object: Decoded<T>): void;

  /** Upstream's storage version, as discovery publishes it, if ours is another. */
  readonly upstreamStorageVersion?: string;
  /** Converts a stored object of that version to the stored version here, where it is not a served one. */
  fromUpstreamStorage?(stored: JsonObject): JsonObject;

  /** Seconds after which the object expires (events). */
  timeToLiveSeconds?(object: Decoded<T>): number | undefined;

  /** Fields that apply never owns at this endpoint: paths such as "status" or "metadata.generation". */
  readonly resetFields?: readonly string[];

  /** Claims values that must be unique in the cluster (addresses, ports). The claim is released if the write fails. */
  beginCreate?(object: Decoded<T>, context: RequestContext): MaybePromise<Claim>;
  beginUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): MaybePromise<Claim>;
  afterDelete?(object: Decoded<T>, context: RequestContext): MaybePromise<void>;

  /** The status subresource: true for the default hooks, or its own. */
  readonly status?: true | ViewStrategy<T>;
  readonly scale?: ScalePaths | ScaleMapping<T>;
  /** Other subresources through which part of the object is written (approval, ephemeralcontainers, resize). */
  readonly views?: Readonly<Record<string, ViewStrategy<T>>>;
  /** The resource isn't stored (reviews): these are all its verbs. */
  readonly verbs?: ActionStrategy;
  /** Subresources that are not a part of the object (log, exec, eviction, token). */
  readonly actions?: Readonly<Record<string, ActionStrategy>>;
}

/** The hooks of one field of a kind; of any field if the kind is not known. */
type CommonHooksOf<T> = ApiObject extends T
  ? CommonHooks
  : {
      [Field in keyof T & string]: CommonHooks<NonNullable<T[Field]>> & { readonly field: Field };
    }[keyof T & string];

/** The handlers of a subresource, by verb: get, create, update, patch, delete, or connect for all methods. */
export type ActionStrategy = Readonly<
  Record<string, (request: ResourceRequest) => Promise<Result>>
>;

/**
 * Hooks of a write through a subresource. Without prepareForUpdate, status is taken from the new object and all other
 * fields (except managedFields) keep their old value.
 */
export interface ViewStrategy<T = ApiObject> {
  prepareForUpdate?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): void;
  validateUpdate?(
    object: Decoded<T>,
    old: Decoded<T>,
    context: RequestContext,
  ): MaybeSteps<readonly FieldError[]>;
  warnings?(object: Decoded<T>, old: Decoded<T>, context: RequestContext): readonly string[];
  permitUpdate?: Strategy<T>["permitUpdate"];
  readonly resetFields?: readonly string[];
}

/** The fields of a scalable resource's replicas and selector, as dotted paths. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Path of a label selector, structured or as a string. */
  readonly selector?: string;
}

/** For resources with a scale that paths can't describe. */
export interface ScaleMapping<T> {
  replicas(object: Decoded<T>): number;
  setReplicas(object: Decoded<T>, replicas: number): void;
  statusReplicas(object: Decoded<T>): number;
  selector(object: Decoded<T>): string;
}

/** A claim on a unique value, to be confirmed or released. */
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
  /** Instead of these if conversion needs I/O. */
  readonly webhook?: WebhookConversion;
  /** Normalizes a body after decoding: custom resources drop nulls that their schema does not allow. */
  coerce?(object: ApiObject): void;
  /** Defaults of this version only, on the object as it was sent. */
  setDefaults?(object: ApiObject): void;
  /** The OpenAPI schema of a resource without a Go type, as its definition has it. */
  readonly openApi?: {
    readonly schema?: JSONSchemaProps;
    readonly listKind: string;
    /** Fields that selectors may name, as in `spec.size`. */
    readonly selectableFields?: readonly string[];
  };
  /** The scale of this version if it differs from the resource's. */
  readonly scale?: ScalePaths;
  /** Fields that selectors may name in this version, if they differ from the resource's. */
  readonly selectableFields?: Strategy["selectableFields"];
  /** Columns of this version if they differ from the resource's. */
  readonly columns?: readonly Column[];
  /** Warning for every request for this version: that it is deprecated, and its replacement. */
  readonly deprecation?: string;
  /** Field labels of this version by their names in the strategy's selectableFields; absent if they are the same. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
}

/** Conversion of one version by a webhook. Stored objects may be in any version. */
export interface WebhookConversion {
  toStored(object: ApiObject): Promise<ApiObject>;
  fromStored(object: ApiObject): Promise<ApiObject>;
  /** Converts stored objects in batches in advance, so that `prepared` has them when they are written to a client. */
  prepare(objects: readonly ApiObject[]): Promise<void>;
  /** A stored object in this version if it was converted in advance or needs no conversion. */
  prepared(object: ApiObject): ApiObject | undefined;
}

/** The versions of a custom resource for field management, including those that are not served. */
export interface ManagedVersions {
  /** Undefined if the definition has no such version. */
  schemaOf(apiVersion: string): StructSchema | undefined;
  /** An object in another version, without defaults; absent where only apiVersion differs. */
  convert?(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/**
 * Differences between built-in and custom resources that clients can see: upstream serves its own by a router and from
 * Go types, custom ones by one handler and from maps. Each difference has a property, set where resources are declared.
 */
export interface Origin {
  /**
   * A router knows the paths, verbs and media types, and refuses others with its own errors; else one handler gets
   * every path of the group.
   */
  readonly isRouted: boolean;
  /** The supported types of patch. */
  readonly patchTypes: readonly PatchType[];
  /** Aggregated discovery omits the group and version of kinds if they are those of the resource. */
  readonly abbreviatesKind: boolean;
  /** A Scale is validated itself; else by the rules of the field it is written to. */
  readonly checksScale: boolean;
}

/** Resources that ship with the server. */
const builtIn: Origin = { isRouted: true, patchTypes, abbreviatesKind: true, checksScale: true };

/** A resource's identity and behaviour. The same for built-in and custom resources. */
export interface Declaration extends Strategy, Origin {
  /** The stored version. */
  readonly handle: Resource;
  /** The versions that are served, in order of preference; the stored one need not be among them. */
  readonly versions: readonly ServedVersion[];
  /** For field managers, if they see other versions or conversions than the served ones. */
  readonly managedVersions?: ManagedVersions;
  /** Key prefix under /registry if it isn't the plural name (minions, services/specs). */
  readonly storageName?: string;
  /** The resource is served only while this feature is on. */
  readonly gate?: string;
}

/** The properties of a built-in resource besides its hooks. */
interface ServeOptions {
  /** Served versions besides the stored one. */
  readonly versions?: readonly ServedVersion[];
  /** The stored version is not itself served. */
  readonly storedVersionHidden?: boolean;
  readonly storageName?: string;
  /** The resource is served only while this feature is on. */
  readonly gate?: string;
  /** Warning for every request for the stored version. */
  readonly deprecation?: string;
}

/** Declares a resource: its handle (in the stored version), and its behaviour. */
export function serve<T>(
  handle: Resource<T>,
  strategy: Strategy<T> & ServeOptions = {},
): Declaration {
  const { versions = [], storedVersionHidden = false, deprecation, ...hooks } = strategy;
  const stored = deprecation === undefined ? { handle } : { handle, deprecation };
  const served = storedVersionHidden ? versions : [stored, ...versions];
  return { ...(hooks as unknown as Strategy), ...builtIn, handle, versions: served };
}
