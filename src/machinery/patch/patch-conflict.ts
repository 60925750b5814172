import { yaml } from "#/std/text/yaml.ts";
import type { JsonObject } from "./values/json-value.ts";

/**
 * A three-way patch that would overwrite a change made by another client in the meantime.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/mergepatch/errors.go.
 */
export class PatchConflict extends Error {
  override readonly name = "PatchConflict";

  constructor(patch: JsonObject, current: JsonObject) {
    super(
      `patch:\n${toYaml(patch)}\nconflicts with changes made from original to current:\n${toYaml(current)}\n`,
    );
  }
}

const toYaml = (value: JsonObject): string =>
  yaml().stringify(value, { sortMapEntries: true, indentSeq: false, lineWidth: 0 });
