import {
  type FieldError,
  forbidden,
  invalid as invalidField,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateFieldManager } from "#/machinery/meta/object-meta.ts";
import { badRequest, invalid } from "#/machinery/meta/status-error.ts";
import { append } from "#/std/base/append.ts";
import type { DeleteOptions } from "../registry/deletion.ts";

/**
 * The options of each verb, read from the query (or, for delete, from a body) and checked.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go,
 * staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 */

/** metav1.CreateOptions, UpdateOptions and PatchOptions in one. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
}

type FieldValidation = "Ignore" | "Warn" | "Strict";

/** metav1.ListOptions. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

const unsafeOption = "ignoreStoreReadErrorWithClusterBreakingPotential";
const patchOptionsOnly = "may not be specified for non-apply patch";

/** Reads the options of a create, update or patch; `kind` is their name in errors (CreateOptions…). */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  apply = false,
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = kind === "PatchOptions" ? optionalBoolean(query, "force") : undefined;
  const errors: FieldError[] = [];
  if (kind === "PatchOptions") {
    if (apply && fieldManager === "") {
      errors.push(required(fieldPath("fieldManager"), "is required for apply patch"));
    }
    if (!apply && force !== undefined) errors.push(forbidden(fieldPath("force"), patchOptionsOnly));
  }
  errors.push(
    ...validateFieldManager(fieldManager, fieldPath("fieldManager")),
    ...checkDryRun(dryRun),
  );
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    const allowed = ["", "Ignore", "Strict", "Warn"];
    errors.push(notSupported(fieldPath("fieldValidation"), fieldValidation, allowed));
  }
  refuse(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force,
  };
}

function checkDryRun(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === "All")) return [];
  return [notSupported(fieldPath("dryRun"), dryRun, ["All"])];
}

/** Reads the options of a list or watch. */
export function parseListOptions(query: URLSearchParams): ListOptions {
  const options: Mutable<ListOptions> = {
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    watch: optionalBoolean(query, "watch") ?? false,
    allowWatchBookmarks: optionalBoolean(query, "allowWatchBookmarks") ?? false,
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds: optionalInteger(query, "timeoutSeconds"),
    limit: optionalInteger(query, "limit") ?? 0,
    continueToken: query.get("continue") ?? "",
    sendInitialEvents: optionalBoolean(query, "sendInitialEvents"),
  };
  if (options.watch) Object.assign(options, watchDefaults(options));
  refuse("ListOptions", options.watch ? checkWatchOptions(options) : checkListOptions(options));
  return options;
}

/**
 * A watch without a resourceVersion starts with all objects. The deprecated form of a watch, with the verb in its path,
 * does the same, but is checked as a list.
 */
export function watchDefaults(
  options: ListOptions,
): Partial<Pick<ListOptions, "sendInitialEvents" | "resourceVersionMatch">> {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
  const isFromNow = resourceVersion === "" || resourceVersion === "0";
  if (!isFromNow || sendInitialEvents !== undefined || resourceVersionMatch !== "") return {};
  return { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function checkListOptions(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const path = fieldPath("resourceVersionMatch");
  const match = options.resourceVersionMatch;
  if (match !== "") {
    if (options.resourceVersion === "") {
      errors.push(
        forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (options.continueToken !== "") {
      errors.push(forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported(path, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && options.resourceVersion === "0") {
      errors.push(
        forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(
      forbidden(fieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"),
    );
  }
  return errors;
}

function checkWatchOptions(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const path = fieldPath("resourceVersionMatch");
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(
      forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (match === "") return errors;
  if (options.sendInitialEvents === undefined) {
    errors.push(
      forbidden(
        path,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  if (match !== "NotOlderThan") errors.push(notSupported(path, match, ["NotOlderThan"]));
  if (options.continueToken !== "") {
    errors.push(forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

/** Reads delete options from the query, for a request without a body. */
export function deleteOptionsFromQuery(query: URLSearchParams): DeleteOptions {
  const options: Mutable<DeleteOptions> = {};
  const gracePeriodSeconds = optionalInteger(query, "gracePeriodSeconds");
  const orphanDependents = optionalBoolean(query, "orphanDependents");
  const propagationPolicy = query.get("propagationPolicy");
  const dryRun = query.getAll("dryRun");
  if (gracePeriodSeconds !== undefined) options.gracePeriodSeconds = gracePeriodSeconds;
  if (orphanDependents !== undefined) options.orphanDependents = orphanDependents;
  if (propagationPolicy !== null) options.propagationPolicy = propagationPolicy;
  if (dryRun.length > 0) options.dryRun = dryRun;
  if (optionalBoolean(query, unsafeOption)) options[unsafeOption] = true;
  const uid = query.get("uid");
  const resourceVersion = query.get("resourceVersion");
  if (uid || resourceVersion) {
    options.preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  }
  return options;
}

/** Checks delete options, from the query or a body. */
export function checkDeleteOptions(options: DeleteOptions, isCollection: boolean): void {
  const errors: FieldError[] = [];
  const path = fieldPath("propagationPolicy");
  const policy = options.propagationPolicy;
  if (options.orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      invalidField(path, policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(notSupported(path, policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  append(errors, checkDryRun(options.dryRun ?? []));
  if (options[unsafeOption]) append(errors, checkUnsafe(options, isCollection));
  refuse("DeleteOptions", errors);
}

/** An unreadable object is removed without decoding, or not at all. */
function checkUnsafe(options: DeleteOptions, isCollection: boolean): FieldError[] {
  const path = fieldPath(unsafeOption);
  const others = [
    "propagationPolicy",
    "orphanDependents",
    "gracePeriodSeconds",
    "preconditions",
  ] as const;
  const errors = others
    .filter((name) => options[name] !== undefined)
    .map((name) => invalidField(path, true, `cannot be set together with .${name}`));
  if (errors.length > 0 || !isCollection) return errors;
  const detail = "is not allowed with DELETECOLLECTION, try again after removing the option";
  return [invalidField(path, true, detail)];
}

function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** A boolean query parameter, as Kubernetes parses it: true unless "false" or "0"; undefined if absent. */
export function optionalBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value.toLowerCase() !== "false" && value !== "0";
}

function optionalInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return number;
}
