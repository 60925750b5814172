import { randomUUID } from "node:crypto";
import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { inDeepKeyOrder } from "../shape/key-order.ts";
import { goFormOf, type ToGoForm } from "./go-form.ts";
import { type JsonLayout, writeJson } from "./write-json.ts";

/**
 * Writes an object of a kind as upstream's API server does: Go's field order and omissions for
 * built-in kinds, sorted keys for custom resources; a newline at the end unless it is pretty.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/json.go.
 */
export function encodeJson(value: unknown, schema: StructSchema, layout: JsonLayout = {}): Buffer {
  const text = jsonText(value, schema, layout);
  return Buffer.from(layout.pretty ? text : `${text}\n`, "utf8");
}

/** Random placeholder that cannot occur in input. */
const mark = `\u0001${randomUUID()}`;
const markText = JSON.stringify(mark);

/** The text without the newline. */
export function jsonText(value: unknown, schema: StructSchema, layout: JsonLayout = {}): string {
  return runSteps(jsonSteps(value, schema, layout));
}

/** The same in steps, for large objects. */
export function jsonSteps(
  value: unknown,
  schema: StructSchema,
  layout: JsonLayout = {},
): Steps<string> {
  return stepsOfText(value, schema.unstructured ? inDeepKeyOrder : goFormOf(schema), layout);
}

/** The text of a part of an object of a built-in kind. */
export function valueText(value: unknown, schema: Schema): string {
  return runSteps(valueSteps(value, schema));
}

/** The same in steps, for large values. */
export function valueSteps(value: unknown, schema: Schema): Steps<string> {
  return stepsOfText(value, goFormOf(schema), {});
}

function* stepsOfText(value: unknown, inOrder: ToGoForm, layout: JsonLayout): Steps<string> {
  const texts: string[] = [];
  const notes = { indexKeys: false, ...(layout.pretty ? {} : { marked: { mark, texts } }) };
  const form = inOrder ? inOrder(value, notes) : value;
  yield;
  const text = writeJson(form, { ...layout, indexKeys: notes.indexKeys });
  if (texts.length === 0) return text;
  let written = "";
  for (const [index, part] of text.split(markText).entries()) {
    written += index === 0 ? part : `${texts[index - 1]}${part}`;
  }
  return written;
}
