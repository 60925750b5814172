import { deepCopy } from "../objects/deep-copy.ts";
import { coerceEmbedded } from "./embedded-resource.ts";
import { prune } from "./prune.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { StructuralSchemaError } from "./structural-schema.ts";

/** Puts a value into its enclosing object, and extracts it again. */
interface Enclosing {
  wrap(value: unknown): Record<string, unknown>;
  unwrap(object: unknown): unknown;
}

const rootObject: Enclosing = {
  wrap(value) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw new StructuralSchemaError(
      "failed to prune default value: object root default value must be of object type",
    );
  },
  unwrap: (object) => object,
};

/**
 * The schema with its defaults pruned: they contain only specified fields, as served objects must.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/prune.go.
 */
export function pruneDefaults(root: StructuralSchema): StructuralSchema {
  const visit = (schema: StructuralSchema, enclosing: Enclosing): StructuralSchema => {
    const { items, properties, additionalProperties } = schema;
    const child = (one: StructuralSchema | undefined, name: string) =>
      one && visit(one, inField(enclosing, name));
    return {
      ...schema,
      default: schema.default === undefined ? undefined : pruned(schema.default, enclosing),
      items: items && visit(items, inList(enclosing)),
      properties: new Map(
        Array.from(properties, ([name, one]) => [name, visit(one, inField(enclosing, name))]),
      ),
      additionalProperties: additionalProperties && {
        ...additionalProperties,
        schema: child(additionalProperties.schema, "*"),
      },
    };
  };
  const pruned = (value: unknown, enclosing: Enclosing): unknown => {
    const object = enclosing.wrap(deepCopy(value));
    coerceEmbedded(object, root, { isRoot: true, dropInvalid: true });
    prune(object, root);
    return enclosing.unwrap(object);
  };
  return visit(root, rootObject);
}

function inField(enclosing: Enclosing, name: string): Enclosing {
  return {
    wrap: (value) => enclosing.wrap({ [name]: value }),
    unwrap: (object) => (enclosing.unwrap(object) as Record<string, unknown> | undefined)?.[name],
  };
}

function inList(enclosing: Enclosing): Enclosing {
  return {
    wrap: (value) => enclosing.wrap([value]),
    unwrap: (object) => (enclosing.unwrap(object) as unknown[] | undefined)?.[0],
  };
}
