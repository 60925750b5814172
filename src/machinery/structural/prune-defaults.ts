import { deepCopy } from "../objects/deep-copy.ts";
import { coerceEmbedded } from "./embedded-resource.ts";
import { prune } from "./prune.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { StructuralSchemaError } from "./structural-schema.ts";

/** Puts a value into its enclosing object, and extracts it again. */
interface Surrounding {
  wrap(value: unknown): Record<string, unknown>;
  unwrap(object: unknown): unknown;
}

const wholeObject: Surrounding = {
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
  const visit = (schema: StructuralSchema, around: Surrounding): StructuralSchema => {
    const { items, properties, additionalProperties } = schema;
    const child = (one: StructuralSchema | undefined, name: string) =>
      one && visit(one, inField(around, name));
    return {
      ...schema,
      default: schema.default === undefined ? undefined : pruned(schema.default, around),
      items: items && visit(items, inList(around)),
      properties: new Map(
        Array.from(properties, ([name, one]) => [name, visit(one, inField(around, name))]),
      ),
      additionalProperties: additionalProperties && {
        ...additionalProperties,
        schema: child(additionalProperties.schema, "*"),
      },
    };
  };
  const pruned = (value: unknown, around: Surrounding): unknown => {
    const object = around.wrap(deepCopy(value));
    coerceEmbedded(object, root, { isRoot: true, dropInvalid: true });
    prune(object, root);
    return around.unwrap(object);
  };
  return visit(root, wholeObject);
}

function inField(around: Surrounding, name: string): Surrounding {
  return {
    wrap: (value) => around.wrap({ [name]: value }),
    unwrap: (object) => (around.unwrap(object) as Record<string, unknown> | undefined)?.[name],
  };
}

function inList(around: Surrounding): Surrounding {
  return {
    wrap: (value) => around.wrap([value]),
    unwrap: (object) => (around.unwrap(object) as unknown[] | undefined)?.[0],
  };
}
