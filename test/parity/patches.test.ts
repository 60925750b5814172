import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Schema } from "#/api/base/schema.ts";
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { Area } from "./case.ts";
import { jsonPatches } from "./cases/json-patch.ts";
import { mergePatches } from "./cases/merge-patch.ts";
import { strategicPatches } from "./cases/strategic.ts";
import { expectObject } from "./expect-object.ts";
import { loadRecordings, type RecordedStep, stepQuery } from "./recordings.ts";

/** The server's message for a patch that it could not apply, without the reason. */
const rejected = "the server rejected our request due to an error in our request";

interface Body extends JsonObject {
  readonly kind: string;
  readonly message?: string;
}

/** Replays the last step of each case, a patch, on the object that the step before answered. */
function replayPatches(area: Area, apply: (live: JsonObject, step: RecordedStep) => unknown): void {
  describe(`${area.name} as kube-apiserver`, () => {
    for (const { name, steps } of loadRecordings(area)) {
      const [before, step] = steps;
      if (!before || !step || step.answer.status === 415 || step.sent === "{") continue;
      test(name, () => {
        const outcome = attempt(() => apply(before.answer.body as JsonObject, step));
        check(outcome, step.answer.status, step.answer.body as Body);
      });
    }
  });
}

function attempt(apply: () => unknown): unknown {
  try {
    return apply();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
}

function check(outcome: unknown, status: number, body: Body): void {
  if (!(outcome instanceof PatchError)) {
    // A result that validation or decoding refuses later is no failure of the patch.
    if (status < 300) expectObject(outcome, body, schemaOf(body));
    else assert.notEqual(body.message, rejected);
    return;
  }
  const message = outcome.code === 422 ? rejected : outcome.message;
  const prefix = outcome.code === 413 ? "Request entity too large: " : "";
  assert.deepEqual([outcome.code, prefix + message], [status, body.message]);
}

const parsed = ({ sent }: RecordedStep): unknown =>
  typeof sent === "string" ? JSON.parse(sent) : sent;

replayPatches(jsonPatches, (live, step) => {
  const checked = stepQuery(step).get("fieldValidation") !== "Ignore";
  return applyJsonPatch(live, decodeJsonPatch(parsed(step), { checked }).operations);
});

replayPatches(mergePatches, (live, step) => {
  const patch = parsed(step);
  const checked = stepQuery(step).get("fieldValidation") !== "Ignore";
  if (checked && patch !== null) requireObject(patch);
  return applyMergePatch(live, patch);
});

/** With field validation, the server first reads a merge patch into a map. */
function requireObject(patch: unknown): void {
  if (typeof patch === "object" && !Array.isArray(patch)) return;
  const what = Array.isArray(patch) ? "array" : typeof patch;
  const message = `error decoding patch: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
  throw new PatchError(400, message);
}

replayPatches(strategicPatches, (live, step) => {
  const schema = schemaOf(live);
  assert.ok(schema);
  return applyStrategicMergePatch(schema, live, parsed(step));
});

/** The schema of a built-in kind; undefined for a custom resource. */
function schemaOf({ apiVersion, kind }: JsonObject): Schema | undefined {
  const [version = "", group = ""] = String(apiVersion).split("/").reverse();
  return findSchema(group, version, String(kind));
}
