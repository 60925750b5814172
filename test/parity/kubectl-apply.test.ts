import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createThreeWayMergePatch } from "#/machinery/patch/create-merge-patch.ts";
import { createThreeWayStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { kubectlCases } from "./cases/kubectl-apply.ts";

interface Annotated extends JsonObject {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}

/** A patch that kubectl sent, and its object. */
interface KubectlRecording {
  readonly name: string;
  readonly contentType: string;
  readonly current: Annotated;
  readonly patch: Annotated;
}

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const file = join(import.meta.dirname, "recorded", "kubectl-apply.json");
const recordings = JSON.parse(readFileSync(file, "utf8")) as KubectlRecording[];

/** The last applied configuration in an object's annotation, and its text. */
function lastApplied({ metadata }: Annotated): { config: Annotated; text: string } {
  const text = metadata.annotations[lastAppliedAnnotation] ?? "";
  return { config: JSON.parse(text) as Annotated, text };
}

/** The three documents of a recording: kubectl writes the new configuration into the annotation of its own patch. */
function documents({ current, patch }: KubectlRecording) {
  const { config, text } = lastApplied(patch);
  const annotations = { ...config.metadata.annotations, [lastAppliedAnnotation]: text };
  const modified = { ...config, metadata: { ...config.metadata, annotations } };
  return { original: lastApplied(current).config, modified, current };
}

describe("patches of kubectl apply", () => {
  for (const [index, recording] of recordings.entries()) {
    test(recording.name, () => {
      assert.equal(recording.name, kubectlCases[index]?.name);
      const { apiVersion, kind } = recording.current;
      const [version = "", group = ""] = String(apiVersion).split("/").reverse();
      const schema = findSchema(group, version, String(kind));
      const patch = schema
        ? createThreeWayStrategicMergePatch(schema, documents(recording), { overwrite: true })
        : createThreeWayMergePatch(documents(recording));
      assert.deepEqual(patch, recording.patch);
    });
  }
});
