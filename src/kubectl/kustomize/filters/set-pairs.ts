/** Upstream: sigs.k8s.io/kustomize/api/filters/{labels,annotations}. */
import { changeAllFields } from "../config/change-fields.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import type { ResourceMap } from "../resource/resource-map.ts";
import { setField } from "../yaml/edit-node.ts";
import { scalarNode, tags } from "../yaml/yaml-node.ts";

type Pairs = Readonly<Record<string, string>>;

export interface PairsConfig {
  readonly labels?: Pairs;
  readonly annotations?: Pairs;
  readonly fieldSpecs?: readonly FieldSpec[];
}

/** Sets entries of the maps at the given fields. */
export function setPairs(map: ResourceMap, pairs: Pairs, specs: readonly FieldSpec[]): void {
  const create = { kind: "mapping", tag: tags.mapping } as const;
  for (const { node } of map.resources) {
    for (const name of Object.keys(pairs).sort()) {
      // As upstream does, the fields of an object share one value: a patch that changes a label of the object changes
      // its selector too.
      const value = scalarNode(pairs[name] ?? "", tags.string);
      const change = (field: typeof node): void => setField(field, name, value);
      changeAllFields(node, specs, { change, create });
    }
  }
}
