import assert from "node:assert/strict";
import { test } from "node:test";
import { changedPointers } from "./changed-pointers.ts";
import { snapshotOf } from "./object-snapshot.ts";

const pod = () => ({
  metadata: { labels: { "a/b": "1" }, managedFields: [{ manager: "x" }] },
  spec: {
    containers: [
      {
        name: "main",
        env: [{ name: "A", value: "1" }],
        resources: { limits: { cpu: "1" } as Record<string, string> },
      },
    ] as Record<string, unknown>[],
    tolerations: [] as object[],
  } as Record<string, unknown>,
});

type Pod = ReturnType<typeof pod>;

for (const { name, change, expected } of [
  { name: "nothing", change: () => undefined, expected: [] },
  {
    name: "a label whose name has a slash",
    change: ({ metadata }: Pod) => Object.assign(metadata.labels, { "a/b": "2" }),
    expected: ["/metadata/labels/a~1b"],
  },
  {
    name: "a new item of a list and a new field",
    change: ({ spec }: Pod) => {
      (spec["tolerations"] as object[]).push({ key: "x" });
      spec["priority"] = 0;
    },
    expected: ["/spec/tolerations/0", "/spec/priority"],
  },
  {
    name: "a field deep in a container, and a new variable",
    change: ({ spec }: Pod) => {
      const [main] = spec["containers"] as { env: object[]; resources: { limits: object } }[];
      Object.assign(main?.resources.limits ?? {}, { memory: "1Gi" });
      main?.env.push({ name: "B" });
    },
    expected: ["/spec/containers/0/env/1", "/spec/containers/0/resources/limits/memory"],
  },
  {
    name: "a removed container",
    change: ({ spec }: Pod) => (spec["containers"] as object[]).pop(),
    expected: ["/spec/containers/0"],
  },
]) {
  test(`changedPointers() finds ${name} with a snapshot`, () => {
    const object = pod();
    const before = snapshotOf(object);
    change(object);
    assert.deepEqual(changedPointers(before, object), expected);
  });
}
