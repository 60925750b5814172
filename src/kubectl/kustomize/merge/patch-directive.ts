/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/merge2/smpdirective.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { YamlNode } from "../yaml/yaml-node.ts";

export type PatchDirective = "merge" | "replace" | "delete";

const KEY = "$patch";

/** What a patch says is to be done with a mapping or a list; the patch does not say it afterwards. */
export function patchDirective(patch: YamlNode): PatchDirective {
  return patch.kind === "sequence" ? listDirective(patch) : mappingDirective(patch);
}

function mappingDirective(patch: YamlNode): PatchDirective {
  const value = patch.field(KEY);
  if (!value) return "merge";
  const directive = known(value.value);
  patch.removeField(KEY);
  return directive;
}

/** A list says it in an item that has nothing else. */
function listDirective(patch: YamlNode): PatchDirective {
  const item = patch.items.find((each) => each.field(KEY));
  if (!item || item.entries.length > 1) return "merge";
  const directive = known(item.field(KEY)?.value ?? "");
  patch.items = patch.items.filter((each) => each.field(KEY)?.value !== directive);
  return directive;
}

function known(directive: string): PatchDirective {
  if (directive === "merge" || directive === "replace" || directive === "delete") return directive;
  throw new KustomizeError(`unknown patch strategy '${directive}'`);
}
