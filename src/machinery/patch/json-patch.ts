import { runSteps, type Steps } from "#/std/base/steps.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { maxDepth } from "../codec/json/json-document.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { goJson } from "../values/go-format.ts";
import { PatchDocument } from "./patch-document.ts";
import { goJsonType } from "./values/go-value.ts";
import { exceedsDepth, isJsonObject, type JsonObject, ownValue } from "./values/json-value.ts";
import { PatchError } from "./values/patch-error.ts";

/**
 * JSON Patch (RFC 6902) as kube-apiserver applies it: negative indices count from the end,
 * `replace` may set a missing key of an object, and `copy` and `test` read a missing key as null.
 *
 * Upstream: vendor/gopkg.in/evanphx/json-patch.v4/patch.go,
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
 */

/** One operation as it was sent; its fields are read when it is applied. */
export type JsonPatchOperation = JsonObject;

/** Limit of operations per patch (count), as upstream. */
const maximumOperations = 10_000;

/** Limit of the data copied by the copy operations of a patch (bytes), as upstream. */
const maximumCopiedBytes = 3 * 1024 * 1024;

/**
 * Reads a patch. With `checked`, as in field validation (Strict or Warn), path, from and op must be
 * strings, and unknown fields are reported. Throws PatchError.
 */
export function decodeJsonPatch(
  patch: unknown,
  { checked }: { readonly checked: boolean },
): {
  readonly operations: readonly JsonPatchOperation[];
  readonly strictErrors: readonly string[];
} {
  const prefix = checked ? "error decoding patch: " : "";
  const refuse = (what: string, into: string): never => {
    throw new PatchError(400, `${prefix}json: cannot unmarshal ${what} into Go ${into}`);
  };
  if (patch === null) return { operations: [], strictErrors: [] };
  if (!Array.isArray(patch)) {
    return refuse(
      goJsonType(patch),
      `value of type ${checked ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch"}`,
    );
  }
  const strictErrors: string[] = [];
  const operations = patch.map((operation: unknown, index): JsonPatchOperation => {
    if (operation === null) return {};
    if (!isJsonObject(operation)) {
      const into = checked ? "handlers.jsonPatchOp" : "jsonpatch.Operation";
      return refuse(goJsonType(operation), `value of type ${into}`);
    }
    if (checked) {
      for (const [field, value] of Object.entries(operation)) {
        if (stringFields.has(field)) {
          if (typeof value !== "string" && value !== null) {
            refuse(goJsonType(value), `struct field jsonPatchOp.${field} of type string`);
          }
        } else if (field !== "value") {
          strictErrors.push(`json patch unknown field ${goQuote(`[${index}].${field}`)}`);
        }
      }
    }
    return operation;
  });
  if (operations.length > maximumOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maximumOperations}, got ${operations.length}`;
    throw new PatchError(413, message);
  }
  return { operations, strictErrors };
}

const stringFields: ReadonlySet<string> = new Set(["op", "path", "from"]);

/** Operations that are applied in one step (count). */
const operationsPerStep = 64;

/**
 * The document after all operations; throws PatchError at the first that fails. The input is not
 * changed.
 */
export function applyJsonPatch(
  document: JsonObject,
  operations: readonly JsonPatchOperation[],
): unknown {
  return runSteps(jsonPatchSteps(document, operations));
}

/** The same in steps, for large patches. */
export function* jsonPatchSteps(
  document: JsonObject,
  operations: readonly JsonPatchOperation[],
): Steps<unknown> {
  const patched = new PatchDocument(document);
  let copiedBytes = 0;
  for (const [index, operation] of operations.entries()) {
    if (index % operationsPerStep === operationsPerStep - 1) yield;
    if (exceedsDepth(ownValue(operation, "value"))) throw failed("exceeded max depth");
    copiedBytes += applyOperation(patched, operation);
    if (copiedBytes > maximumCopiedBytes) {
      throw failed(
        `Unable to complete the copy, the accumulated size increase of copy is ${copiedBytes}, exceeding the limit ${maximumCopiedBytes}`,
      );
    }
  }
  yield;
  if (exceedsDepth(patched.root)) throw failed("exceeded max depth");
  return patched.root;
}

/** Applies one operation and returns the number of bytes that it copied. */
function applyOperation(document: PatchDocument, operation: JsonPatchOperation): number {
  const kind = textField(operation, "op") ?? "unknown";
  switch (kind) {
    case "add":
      add(document, operation);
      return 0;
    case "remove":
      remove(document, operation);
      return 0;
    case "replace":
      replace(document, operation);
      return 0;
    case "move":
      move(document, operation);
      return 0;
    case "test":
      test(document, operation);
      return 0;
    case "copy":
      return copy(document, operation);
    default:
      throw failed(`Unexpected kind: ${kind}`);
  }
}

function add(document: PatchDocument, operation: JsonPatchOperation): void {
  const path = textField(operation, "path");
  if (path === undefined) throw failed("add operation failed to decode path: missing value");
  const place = document.find(path);
  if (!place) {
    throw failed(`add operation does not apply: doc is missing path: "${path}": missing value`);
  }
  attempt(`error in add for path: '${path}'`, () => place.add(sentValue(operation)));
}

function remove(document: PatchDocument, operation: JsonPatchOperation): void {
  const path = textField(operation, "path");
  if (path === undefined) throw failed("remove operation failed to decode path: missing value");
  const place = document.find(path);
  if (!place) {
    throw failed(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  }
  attempt(`error in remove for path: '${path}'`, () => place.remove());
}

function replace(document: PatchDocument, operation: JsonPatchOperation): void {
  const path = requiredText(
    operation,
    "path",
    "replace operation failed to decode path: operation missing path field",
  );
  if (path === "") {
    const root = sentValue(operation);
    if (typeof root !== "object" || root === null) {
      throw failed("replace operation value must be object or array: %!w(<nil>)");
    }
    document.root = root;
    return;
  }
  const place = document.find(path);
  if (!place) {
    throw failed(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  }
  try {
    place.get();
  } catch {
    throw failed(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  attempt(`error in remove for path: '${path}'`, () => place.set(sentValue(operation)));
}

function move(document: PatchDocument, operation: JsonPatchOperation): void {
  const from = requiredText(
    operation,
    "from",
    "move operation failed to decode from: operation, missing from field",
  );
  const source = document.find(from);
  if (!source) {
    throw failed(`move operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = attempt(`error in move for path: '${source.key}'`, () => {
    const found = source.get();
    source.remove();
    return found ?? null;
  });
  const path = requiredText(
    operation,
    "path",
    "move operation failed to decode path: operation missing path field",
  );
  const place = document.find(path);
  if (!place) {
    throw failed(
      `move operation does not apply: doc is missing destination path: ${path}: missing value`,
    );
  }
  attempt(`error in move for path: '${path}'`, () => place.add(value));
}

function copy(document: PatchDocument, operation: JsonPatchOperation): number {
  const from = requiredText(
    operation,
    "from",
    "copy operation failed to decode from: operation, missing from field",
  );
  const source = document.find(from);
  if (!source) {
    throw failed(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
  }
  const value = attempt(`error in copy for from: '${from}'`, () => source.get());
  const path = textField(operation, "path");
  if (path === undefined) throw failed("copy operation failed to decode path: missing value");
  const place = document.find(path);
  if (!place) {
    throw failed(
      `copy operation does not apply: doc is missing destination path: ${path}: missing value`,
    );
  }
  const copied = value ?? null;
  if (exceedsDepth(copied, maxDepth - path.split("/").length)) throw failed("exceeded max depth");
  document.share(copied);
  attempt("error while adding value during copy", () => place.add(copied));
  return copied === null ? 0 : Buffer.byteLength(goJson(copied));
}

function test(document: PatchDocument, operation: JsonPatchOperation): void {
  const path = requiredText(
    operation,
    "path",
    "test operation failed to decode path: operation missing path field",
  );
  const expected = ownValue(operation, "value") ?? null;
  let actual: unknown = document.root;
  if (path !== "") {
    const place = document.find(path);
    if (!place)
      throw failed(`test operation does not apply: is missing path: ${path}: missing value`);
    actual = attempt(`error in test for path: '${path}'`, () => place.get()) ?? null;
  }
  if (exceedsDepth(actual) || !deepEqual(actual, expected)) {
    throw failed(`testing value ${path} failed: test failed`);
  }
}

const sentValue = (operation: JsonPatchOperation): unknown => ownValue(operation, "value") ?? null;

function textField(operation: JsonPatchOperation, field: string): string | undefined {
  const value = ownValue(operation, field);
  return typeof value === "string" ? value : undefined;
}

function requiredText(operation: JsonPatchOperation, field: string, missing: string): string {
  const text = textField(operation, field);
  if (text === undefined) throw failed(`${missing}: missing value`);
  return text;
}

/** Runs a change of the document; an error gets the prefix. */
function attempt<T>(prefix: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw error instanceof PatchError ? failed(`${prefix}: ${error.message}`) : error;
  }
}

const failed = (message: string): PatchError => new PatchError(422, message);
