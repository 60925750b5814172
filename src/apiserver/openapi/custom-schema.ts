import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { sharedText } from "./describe-definition.ts";
import { isObject, type Json } from "./open-api.ts";
import type { Definitions } from "./publish-schema.ts";

/**
 * The published schemas of custom resources.
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, v2/conversion.go.
 */

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The names of a custom kind and of its list: com.example.v1.Foo. */
export function customNames({ group, version, kind }: Resource, listKind: string) {
  const home = [...group.split(".").reverse(), version].join(".");
  return { object: `${home}.${kind}`, list: `${home}.${listKind}` };
}

/** A custom resource's schema, from its definition; `forV2` omits keywords that clients of OpenAPI v2 can't read. */
export function customSchema(
  schema: JSONSchemaProps | undefined,
  { group, version, kind }: Resource,
  definitions: Definitions,
  forV2: boolean,
): Json {
  const own = { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
  const isOpen = schema === undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema === undefined || (forV2 && isOpen)) return { type: "object", ...own };
  const published = published2or3(schema, definitions, forV2);
  const { properties = {} } = published as { properties?: Json };
  return {
    ...published,
    properties: {
      ...properties,
      ...objectProperties(definitions),
    },
    ...own,
  };
}

/** The fields of every object, whatever its definition. */
function objectProperties(definitions: Definitions): Json {
  return {
    apiVersion: { description: sharedText("any object", "apiVersion"), type: "string" },
    kind: { description: sharedText("any object", "kind"), type: "string" },
    metadata: {
      description: sharedText("any object", "metadata"),
      allOf: [definitions.ref(`${metaPackage}.ObjectMeta`)],
    },
  };
}

/** The list of a custom kind. */
export function customListSchema(
  { group, version }: Resource,
  names: { readonly object: string; readonly list: string },
  definitions: Definitions,
): Json {
  const listKind = names.list.slice(names.list.lastIndexOf(".") + 1);
  return {
    description: sharedText("any list"),
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { description: sharedText("any list", "apiVersion"), type: "string" },
      items: {
        description: sharedText("any list", "items"),
        type: "array",
        items: { $ref: `#/components/schemas/${names.object}` },
      },
      kind: { description: sharedText("any list", "kind"), type: "string" },
      metadata: {
        description: sharedText("any list", "metadata"),
        allOf: [definitions.ref(`${metaPackage}.ListMeta`)],
      },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
  };
}

/** Keywords that are not published. */
const unpublished = ["externalDocs", "example", "id", "$schema", "$ref"];
/** Keywords that OpenAPI v2 does not have. */
const junctors = ["allOf", "oneOf", "anyOf", "not"];

function published2or3(schema: JSONSchemaProps, definitions: Definitions, forV2: boolean): Json {
  const left = forV2 ? [...unpublished, ...junctors, "default"] : unpublished;
  let result: Record<string, unknown> = { ...schema };
  for (const name of left) delete result[name];
  const visit = (child: unknown): unknown =>
    isObject(child) ? published2or3(child as JSONSchemaProps, definitions, forV2) : child;
  if (result["items"] !== undefined) result["items"] = visit(result["items"]);
  if (result["additionalProperties"] !== undefined) {
    result["additionalProperties"] = visit(result["additionalProperties"]);
  }
  if (isObject(result["properties"])) {
    const entries = Object.entries(result["properties"]);
    result["properties"] = Object.fromEntries(entries.map(([name, one]) => [name, visit(one)]));
  }
  if (schema["x-kubernetes-int-or-string"] && !forV2 && !schema.anyOf) {
    result["anyOf"] = [{ type: "integer" }, { type: "string" }];
  }
  if (forV2) result = readableByV2(result, schema);
  return schema["x-kubernetes-embedded-resource"] && !(forV2 && isPreserving(schema))
    ? embedded(result, definitions)
    : result;
}

const isPreserving = (schema: JSONSchemaProps): boolean =>
  schema["x-kubernetes-preserve-unknown-fields"] === true;

/** Types that kubectl would treat as narrower than they are have no type. */
function readableByV2(
  { ...result }: Record<string, unknown>,
  schema: JSONSchemaProps,
): Record<string, unknown> {
  const nullable = schema.nullable === true;
  if (nullable) delete result["type"];
  delete result["nullable"];
  if (nullable || isPreserving(schema)) {
    delete result["items"];
    delete result["properties"];
  }
  if (result["type"] === "array" && result["items"] === undefined) delete result["type"];
  if (result["type"] === "object" && isPreserving(schema)) delete result["type"];
  const { properties = {}, required = [], additionalProperties } = schema;
  const kept = required.filter((name) => !properties[name]?.nullable);
  const values = typeof additionalProperties === "object" ? additionalProperties : undefined;
  if (kept.length === 0 || values?.nullable) delete result["required"];
  else result["required"] = kept;
  return result;
}

function embedded(schema: Record<string, unknown>, definitions: Definitions): Json {
  const required = (schema["required"] as string[] | undefined) ?? [];
  const more = ["kind", "apiVersion"].filter((name) => !required.includes(name));
  return {
    ...schema,
    required: [...required, ...more],
    properties: {
      ...(schema["properties"] as Json | undefined),
      ...objectProperties(definitions),
    },
  };
}
