import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "#/api/core/v1.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { nullObjects } from "#/testing/null-objects.ts";
import {
  filterTexts,
  occupied,
  scoresOf,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { plugins } from "./index.ts";

const seen = [...nullObjects(plausible)]
  .filter(({ kind }) => kind === "Pod" || kind === "Node")
  .map(({ kind, path, object }) => ({ kind, path, object: dropNulls(object) as unknown }));
// The server refuses Pods without containers.
for (const { kind, object } of seen) {
  if (kind === "Pod" && (object as Pod).spec) (object as Pod).spec.containers ??= [];
}

for (const declaration of plugins) {
  test(`${declaration.name} takes null for absent in every list, map and time of Pods and Nodes`, () => {
    const plugin = testPlugin(declaration);
    const plain = testPod("plain");
    for (const { kind, path, object } of seen) {
      const pod = kind === "Pod" ? (object as Pod) : plain;
      const node = kind === "Node" ? (object as Node) : testNode("n");
      // A Pod is filtered when it is to be placed, and seen on a node when others are.
      for (const placed of [[], [pod]]) {
        const nodes = [occupied(node, placed)];
        const asked = placed.length > 0 ? plain : pod;
        try {
          filterTexts(plugin, asked, nodes);
          scoresOf(plugin, asked, nodes);
        } catch (error) {
          // A Pod may be rejected because of its content, never because of an internal error.
          assert.doesNotMatch(
            `${error}`,
            /Cannot |is not (iterable|a function)/,
            `${kind} ${path}`,
          );
        }
      }
    }
  });
}

/** Fields with valid values, e.g. quantities. */
function plausible(object: Record<string, unknown>): void {
  const metadata = object["metadata"] as Record<string, unknown>;
  delete metadata["deletionTimestamp"];
}
