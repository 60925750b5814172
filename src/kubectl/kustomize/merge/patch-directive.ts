/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/merge2/smpdirective.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { YamlNode } from "../yaml/yaml-node.ts";

type PatchDirective = "merge" | "replace" | "delete";

const key = "$patch";

/** What a patch says is to be done with a mapping or a list; the patch does not say it afterwards. */
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

/** A list says it in an item that has nothing else. */
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
