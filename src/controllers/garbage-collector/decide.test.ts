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
    name: "of an existing owner",
    owners: owners({ solid: [owner("a")] }),
    decision: { do: "nothing" },
  },
  {
    name: "of an existing owner and an absent one",
    owners: owners({ solid: [owner("a")], dangling: [owner("b")] }),
    decision: { do: "forget", owners: [owner("b")] },
  },
  {
    name: "of an existing owner, an absent one and a waiting one",
    owners: owners({ solid: [owner("a")], dangling: [owner("b")], waiting: [owner("c")] }),
    decision: { do: "forget", owners: [owner("b"), owner("c")] },
  },
  {
    name: "of an absent owner",
    owners: owners({ dangling: [owner("a")] }),
    decision: removed("Background"),
  },
  {
    name: "of an absent owner, itself deleted with policy Orphan",
    owners: owners({ dangling: [owner("a")] }),
    finalizers: ["orphan"],
    decision: removed("Orphan"),
  },
  {
    name: "of an absent owner, itself deleted in the foreground",
    owners: owners({ dangling: [owner("a")] }),
    finalizers: ["foregroundDeletion"],
    decision: removed("Foreground"),
  },
  {
    name: "of a waiting owner, without dependents",
    owners: owners({ waiting: [owner("a")] }),
    decision: removed("Background"),
  },
  {
    name: "of a waiting owner, with dependents",
    owners: owners({ waiting: [owner("a")] }),
    dependents: [node()],
    decision: removed("Foreground"),
  },
  {
    name: "of a waiting owner, in a circle",
    owners: owners({ waiting: [owner("a")] }),
    dependents: [node(), waiting],
    decision: removed("Foreground", true),
  },
  {
    name: "of absent and waiting owners, with dependents",
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

test("blockingDependents() are those whose reference blocks this object", () => {
  const blocks = node({ uid: "1", owners: [owner("own", true)] });
  const others = [
    node({ uid: "2", owners: [owner("own", false)] }),
    node({ uid: "3", owners: [owner("other", true)] }),
  ];
  const own = node({ dependents: new Set([blocks, ...others]) });
  assert.deepEqual(blockingDependents(own), [blocks]);
});
