/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/merge2/smpdirective.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { YamlNode } from "../yaml/yaml-node.ts";

type PatchDirective = "merge" | "replace" | "delete";

const key = "$patch";

/** Removes and returns the directive of a patch for a mapping or a list. */
export function patchDirective(patch: YamlNode): PatchDirective {
  return patch.kind === "sequence" ? listDirective(patch) : mappingDirective(patch);
}

function mappingDirective(patch: YamlNode): PatchDirective {
  const value = patch.field(key);
  if (!value) return "merge";
  const directive = known(value.value);
  patch.removeField(key);
  return directive;
}

/** A list has its directive in an item of its own. */
function listDirective(patch: YamlNode): PatchDirective {
  const item = patch.items.find((each) => each.field(key));
  if (!item || item.entries.length > 1) return "merge";
  const directive = known(item.field(key)?.value ?? "");
  patch.items = patch.items.filter((each) => each.field(key)?.value !== directive);
  return directive;
}

function known(directive: string): PatchDirective {
  if (directive === "merge" || directive === "replace" || directive === "delete") return directive;
  throw new KustomizeError(`unknown patch strategy '${directive}'`);
}
