import type { StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { type FieldShape, shapeOf } from "../shape/struct-shape.ts";

/** A field of a protobuf message: one of the struct, or a message that Go embeds and JSON flattens. */
export type MessageField =
  | { readonly number: number; readonly shape: FieldShape }
  | { readonly number: number; readonly embedded: readonly MessageField[] };

/** The message of a struct: its fields by ascending number. Fields without a number, kind and apiVersion, are not in it. */
export const messageOf = memoByIdentity(
  (schema: StructSchema): readonly MessageField[] => group(shapeOf(schema).fields, 0),
  { identity: ({ fields }) => fields },
);

/** Whether a kind has a protobuf form: custom resources and a few built-in kinds have none. */
export function hasMessage(schema: StructSchema): boolean {
  return messageOf(schema).length > 0;
}

function group(shapes: readonly FieldShape[], depth: number): MessageField[] {
  const fields: MessageField[] = [];
  const embedded = new Map<number, FieldShape[]>();
  for (const shape of shapes) {
    const { number, within = [] } = shape.field;
    const outer = within[depth];
    if (number === undefined) continue;
    if (outer === undefined) fields.push({ number, shape });
    else embedded.set(outer, [...(embedded.get(outer) ?? []), shape]);
  }
  for (const [number, inner] of embedded)
    fields.push({ number, embedded: group(inner, depth + 1) });
  return fields.sort((a, b) => a.number - b.number);
}
