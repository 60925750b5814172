import type { Schema } from "#/api/base/schema.ts";
import { shapeOf } from "../shape/struct-shape.ts";
import type { DecodeState } from "./decode-state.ts";
import { NumberLiteral } from "./json-parser.ts";

/**
 * Reports unknown and duplicate fields, in the order of the text, for a text that has duplicate
 * ones. Without duplicates the decoder itself reports unknown fields.
 */
export function reportProblems(schema: Schema, value: unknown, state: DecodeState): void {
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return;
  if (Array.isArray(value)) {
    if (schema.type !== "list" && schema.type !== "any") return;
    const items = schema.type === "list" ? schema.items : schema;
    for (const [i, item] of value.entries()) within(i, items, item, state);
    return;
  }
  const seen = new Set<string>();
  for (const [key, item] of state.duplicates?.get(value) ?? Object.entries(value)) {
    const inner = fieldSchema(schema, key);
    if (inner === "unknown") state.unknown(key);
    else if (inner === "untracked") return;
    else {
      if (seen.has(key)) state.duplicate(key);
      seen.add(key);
      const named = schema.type === "struct" && !schema.unstructured;
      within((named ? shapeOf(schema).byName.get(key) : undefined) ?? key, inner, item, state);
    }
  }
}

function within(
  step: DecodeState["path"][number],
  schema: Schema,
  value: unknown,
  state: DecodeState,
) {
  state.path.push(step);
  reportProblems(schema, value, state);
  state.path.pop();
}

/** The schema of a key; undefined inside types with their own decoder. */
function fieldSchema(schema: Schema, key: string): Schema | "unknown" | "untracked" {
  switch (schema.type) {
    case "struct": {
      const field = schema.fields.get(key);
      return field?.schema ?? (schema.preserveUnknown ? { type: "any" } : "unknown");
    }
    case "map":
      return schema.values;
    case "any":
      return schema;
    default:
      return "untracked";
  }
}
