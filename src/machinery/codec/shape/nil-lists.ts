import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";

type Drop = ((value: unknown) => void) | undefined;

/**
 * Removes empty lists and maps that are always written, because they are nil in Go after an object
 * was stored: protobuf does not distinguish empty from nil. Changes the value. Built-in kinds only.
 */
export function dropEmptyLists(value: object, schema: StructSchema): void {
  dropOf(schema)?.(value);
}

/**
 * Compiled once; undefined where a type has no such lists, so that most of an object is skipped.
 */
const dropOf: (schema: Schema) => Drop = memoByIdentity(compile, {
  // The only recursive type (JSONSchemaProps) has no such lists.
  meanwhile: () => undefined,
});

function compile(schema: Schema): Drop {
  if (schema.type === "list") {
    const drop = dropOf(schema.items);
    return drop && ((value) => (value as unknown[]).forEach(drop));
  }
  if (schema.type === "map") {
    const drop = dropOf(schema.values);
    return drop && ((value) => Object.values(value as object).forEach(drop));
  }
  return schema.type === "struct" ? compileStruct(schema) : undefined;
}

function compileStruct({ fields }: StructSchema): Drop {
  const parts = [...fields.values()].flatMap(({ name, schema, omit }) => {
    const isList = schema.type === "list" || schema.type === "map";
    const always = omit === "never" && isList;
    const drop = dropOf(schema);
    return always || drop ? [{ name, always, drop }] : [];
  });
  if (parts.length === 0) return undefined;
  return (value) => {
    const object = value as Record<string, unknown>;
    for (const { name, always, drop } of parts) {
      const part = object[name];
      if (part === undefined || part === null) continue;
      if (always && isEmpty(part)) delete object[name];
      else drop?.(part);
    }
  };
}

function isEmpty(part: unknown): boolean {
  return Array.isArray(part) ? part.length === 0 : Object.keys(part as object).length === 0;
}
