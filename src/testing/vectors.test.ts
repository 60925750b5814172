import assert from "node:assert/strict";
import { test } from "node:test";
import { readVectors } from "./vectors.ts";

test("readVectors() yields every kind in three formats with its apiVersion and kind", () => {
  const vectors = [...readVectors()];
  assert.ok(vectors.length > 200);
  for (const { group, version, kind, json, yaml, pb } of vectors) {
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const object = JSON.parse(json) as Record<string, unknown>;
    // A watch event has its kind only in the protobuf envelope.
    const named = kind === "WatchEvent" ? [undefined, undefined] : [apiVersion, kind];
    assert.deepEqual([object["apiVersion"], object["kind"]], named);
    assert.equal(yaml.includes(`\nkind: ${kind}\n`), kind !== "WatchEvent", `yaml of ${kind}`);
    assert.equal(pb.toString("latin1", 0, 4), "k8s\0");
  }
});
