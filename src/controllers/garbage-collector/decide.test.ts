/** Cases: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerReference } from "#/api/meta/v1.ts";
import { blockingDependents, type ClassifiedOwners, type Decision, decide } from "./decide.ts";
import type { GraphNode } from "./owner-graph.ts";

const owner = (name: string, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid: name,
  blockOwnerDeletion,
});

function node(facts: Partial<GraphNode> = {}): GraphNode {
  return { uid: "own", owners: [], dependents: new Set(), ...facts } as GraphNode;
}

const waiting = node({ isDeletingDependents: true } as Partial<GraphNode>);
const owners = (facts: Partial<ClassifiedOwners>): ClassifiedOwners => ({
  solid: [],
  dangling: [],
  waiting: [],
  ...facts,
});
const removed = (
  propagationPolicy: "Foreground" | "Background" | "Orphan",
  unblock = false,
): Decision => ({
  do: "delete",
  propagationPolicy,
  unblock,
});

const cases: readonly {
  readonly name: string;
  readonly owners: ClassifiedOwners;
  readonly finalizers?: readonly string[];
  readonly dependents?: readonly GraphNode[];
  readonly decision: Decision;
}[] = [
  { name: "without owners", owners: owners({}), decision: { do: "nothing" } },
  {
    name: "of a living owner",
    owners: owners({ solid: [owner("a")] }),
    decision: { do: "nothing" },
  },
  {
    name: "of a living owner and one that is gone",
    owners: owners({ solid: [owner("a")], dangling: [owner("b")] }),
    decision: { do: "forget", owners: [owner("b")] },
  },
  {
    name: "of a living owner, one that is gone and one that waits",
    owners: owners({ solid: [owner("a")], dangling: [owner("b")], waiting: [owner("c")] }),
    decision: { do: "forget", owners: [owner("b"), owner("c")] },
  },
  {
    name: "of an owner that is gone",
    owners: owners({ dangling: [owner("a")] }),
    decision: removed("Background"),
  },
  {
    name: "of an owner that is gone, which was to orphan its own",
    owners: owners({ dangling: [owner("a")] }),
    finalizers: ["orphan"],
    decision: removed("Orphan"),
  },
  {
    name: "of an owner that is gone, which was to wait for its own",
    owners: owners({ dangling: [owner("a")] }),
    finalizers: ["foregroundDeletion"],
    decision: removed("Foreground"),
  },
  {
    name: "of an owner that waits, without dependents",
    owners: owners({ waiting: [owner("a")] }),
    decision: removed("Background"),
  },
  {
    name: "of an owner that waits, with dependents",
    owners: owners({ waiting: [owner("a")] }),
    dependents: [node()],
    decision: removed("Foreground"),
  },
  {
    name: "of an owner that waits, in a circle",
    owners: owners({ waiting: [owner("a")] }),
    dependents: [node(), waiting],
    decision: removed("Foreground", true),
  },
  {
    name: "of owners that are gone and that wait, with dependents",
    owners: owners({ dangling: [owner("a")], waiting: [owner("b")] }),
    dependents: [node()],
    finalizers: ["orphan"],
    decision: removed("Foreground"),
  },
];

for (const { name, owners: classified, finalizers, dependents = [], decision } of cases) {
  test(`decide() of an object ${name}`, () => {
    const own = node({ dependents: new Set(dependents) });
    const metadata = finalizers ? { finalizers: [...finalizers] } : {};
    assert.deepEqual(decide(own, metadata, classified), decision);
  });
}

test("blockingDependents() are those whose reference blocks this very object", () => {
  const blocks = node({ uid: "1", owners: [owner("own", true)] });
  const others = [
    node({ uid: "2", owners: [owner("own", false)] }),
    node({ uid: "3", owners: [owner("other", true)] }),
  ];
  const own = node({ dependents: new Set([blocks, ...others]) });
  assert.deepEqual(blockingDependents(own), [blocks]);
});
