/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/override_options.go. */
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";

/** An object with the JSON of --overrides applied. */
export function applyOverrides(
  object: Unstructured,
  flags: { readonly overrides: string; readonly "override-type": string },
): Unstructured {
  const { overrides } = flags;
  const type = flags["override-type"] || "merge";
  if (overrides === "") return object;
  try {
    if (type === "merge") return applyMergePatch(object, parse(overrides)) as Unstructured;
    if (type === "json") {
      return applyJsonPatch(
        object,
        decodeJsonPatch(parse(overrides), { checked: false }).operations,
      ) as Unstructured;
    }
    if (type === "strategic") {
      const { group, version, kind } = kindOf(object);
      const schema = findSchema(group, version, kind);
      if (schema) return applyStrategicMergePatch(schema, object, parse(overrides)) as Unstructured;
    }
  } catch (error) {
    throw new CommandError(messageOf(error), { cause: error });
  }
  throw new CommandError(`invalid override type: ${type}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandError("Invalid JSON Patch", { cause: error });
  }
}
