import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { goFormOf } from "#/machinery/codec/json/go-form.ts";
import { documentOf } from "#/machinery/codec/json/json-document.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { kindOf, type Unstructured } from "./unstructured.ts";

/**
 * An object as a Go program encodes it from its type: fields in the order of the type, and those without omitempty.
 * An object of a kind that isn't built in is returned unchanged.
 */
export function typedForm(object: Unstructured): Unstructured {
  const { group, version, kind } = kindOf(object);
  const schema = findSchema(group, version, kind);
  if (!schema) return object;
  const { value } = decodeJson<Unstructured>(documentOf(structuredClone(object)), schema, false);
  const toGoForm = goFormOf(schema);
  return (toGoForm ? toGoForm(value, { indexKeys: false }) : value) as Unstructured;
}
