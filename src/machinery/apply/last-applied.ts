import {
  isJsonObject,
  type JsonObject,
  ownValue,
  withKey,
  withoutKey,
} from "../patch/values/json-value.ts";
import { goJson } from "../values/go-format.ts";
import { compareObjects } from "./compare.ts";
import { emptyFieldSet, type FieldSet } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import type { FieldType } from "./field-type.ts";
import { annotationsOf, metadataOf } from "./object-metadata.ts";
import { validateObject } from "./validate.ts";

/**
 * The annotation in which client-side kubectl apply keeps its configuration. When the same kubectl
 * switches to server-side apply, changes of the annotation's fields are no conflicts, and the
 * annotation is kept up to date.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal (lastappliedmanager.go,
 * lastappliedupdater.go).
 */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The manager for which the annotation is used. */
export const kubectlManager = "kubectl";

/** Limit of all annotations of an object (bytes). */
const maximumAnnotationBytes = 256 * 1024;

/**
 * The fields with the same value in the annotation and in the object: these may be taken over.
 * Empty if the annotation is invalid.
 */
export function lastAppliedFields(type: FieldType, live: JsonObject, apiVersion: string): FieldSet {
  const applied = readAnnotation(live);
  if (applied?.["apiVersion"] !== apiVersion || !applied["kind"]) return emptyFieldSet;
  if (validateObject(type, applied).length > 0 || validateObject(type, live).length > 0) {
    return emptyFieldSet;
  }
  const { modified, added, removed } = compareObjects(type, applied, live);
  return fieldSetOf(type, applied).difference(modified).difference(added).difference(removed);
}

function readAnnotation(object: JsonObject): JsonObject | undefined {
  const text = ownValue(annotationsOf(object) ?? {}, lastAppliedAnnotation);
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const applied: unknown = JSON.parse(text);
    return isJsonObject(applied) ? applied : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The object with the annotation updated to the current configuration, if it already has the
 * annotation.
 */
export function updateLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations || !ownValue(annotations, lastAppliedAnnotation)) return object;
  const value = `${goJson(sortKeys(withoutAnnotation(applied)))}\n`;
  const updated = withKey(annotations, lastAppliedAnnotation, value);
  const size = Object.entries(updated).reduce(
    (sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(text)),
    0,
  );
  const kept =
    size > maximumAnnotationBytes ? withoutKey(annotations, lastAppliedAnnotation) : updated;
  return withKey(object, "metadata", withKey(metadataOf(object), "annotations", kept));
}

function withoutAnnotation(object: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations) return object;
  const kept = withoutKey(annotations, lastAppliedAnnotation);
  return withKey(object, "metadata", withKey(metadataOf(object), "annotations", kept));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}
