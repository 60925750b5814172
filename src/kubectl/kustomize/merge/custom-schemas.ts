/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi/openapi.go. */
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { builtInSchemas, builtInType } from "./built-in-schemas.ts";
import type { MergeSchema, SchemaSource } from "./merge-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** The schemas of an OpenAPI document that a kustomization names, alone or added to the built-in ones. */
export function customSchemas(bytes: Uint8Array, withBuiltIn: boolean): SchemaSource {
  const document = readYamlValue(bytes);
  const definitions = objectAt(document, "definitions");
  const byKind = new Map<string, Json>();
  for (const definition of Object.values(definitions)) {
    if (!isJsonObject(definition)) continue;
    const gvks = definition["x-kubernetes-group-version-kind"];
    for (const gvk of Array.isArray(gvks) ? gvks.filter(isJsonObject) : []) {
      const version = String(gvk["version"] ?? "");
      const group = String(gvk["group"] ?? "");
      byKind.set(`${group && `${group}/`}${version} ${String(gvk["kind"])}`, definition);
    }
  }
  return {
    find(apiVersion, kind) {
      const definition = byKind.get(`${apiVersion} ${kind}`);
      if (definition) return schemaOf(definition, { definitions, withBuiltIn });
      return withBuiltIn ? builtInSchemas.find(apiVersion, kind) : undefined;
    },
  };
}

function objectAt(value: unknown, key: string): Json {
  const part = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(part) ? part : {};
}

interface Document {
  readonly definitions: Json;
  readonly withBuiltIn: boolean;
}

/** Limit of consecutive references (count). */
const maxReferences = 100;

/** The schema of a definition with references resolved; undefined if one has no target. */
function resolve(schema: unknown, document: Document): MergeSchema | undefined {
  let current = schema;
  for (let steps = 0; isJsonObject(current) && steps < maxReferences; steps++) {
    const reference = current["$ref"];
    if (typeof reference !== "string") return schemaOf(current, document);
    const name = reference.replace(/^#\/definitions\//, "");
    current = document.definitions[name];
    if (document.withBuiltIn && current === undefined) return builtInType(name);
  }
  return undefined;
}

function schemaOf(definition: Json, document: Document): MergeSchema {
  return {
    field(name) {
      const own = objectAt(definition, "properties")[name];
      const other = definition["additionalProperties"];
      return resolve(own ?? other, document);
    },
    get items() {
      return definition["type"] === "array" ? resolve(definition["items"], document) : undefined;
    },
    mergeKeys: mergeKeysOf(definition),
  };
}

function mergeKeysOf(definition: Json): readonly string[] | undefined {
  const strategy = definition["x-kubernetes-patch-strategy"];
  if (typeof strategy !== "string" || !strategy.split(",").includes("merge")) return undefined;
  const keys = definition["x-kubernetes-list-map-keys"];
  if (Array.isArray(keys)) return keys.map(String);
  const key = definition["x-kubernetes-patch-merge-key"];
  return typeof key === "string" ? [key] : [];
}
