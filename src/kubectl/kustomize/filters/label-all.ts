import type { Resource } from "../resource/resource.ts";
import { ensureMapping, setField } from "../yaml/edit-node.ts";
import { stringNode } from "../yaml/yaml-node.ts";

/** Sets a label of every object. */
export function labelAll(resources: readonly Resource[], name: string, value: string): void {
  for (const { node } of resources) {
    setField(ensureMapping(ensureMapping(node, "metadata"), "labels"), name, stringNode(value));
  }
}
