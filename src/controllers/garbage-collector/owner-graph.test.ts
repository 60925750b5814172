/** Cases: pkg/controller/garbagecollector/graph_builder.go, KEP-2336. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerReference } from "#/api/meta/v1.ts";
import { AbsentOwners } from "./absent-owners.ts";
import type { Identity } from "./identity.ts";
import { OwnerGraph, type Work } from "./owner-graph.ts";

const at = (name: string, namespace?: string, kind = "ConfigMap"): Identity => ({
  apiVersion: "v1",
  kind,
  name,
  namespace,
});
const to = (uid: string, name = uid, kind = "ConfigMap"): OwnerReference => ({
  apiVersion: "v1",
  kind,
  name,
  uid,
});
const shown = (work: readonly Work[]): string[] =>
  work.map((one) =>
    one.kind === "report"
      ? `report ${one.dependent.uid} ${one.owner.uid}`
      : `${one.kind} ${one.uid}`,
  );

type Step = (graph: OwnerGraph) => readonly Work[];
const seen =
  (uid: string, identity: Identity, ...ownerReferences: OwnerReference[]): Step =>
  (graph) =>
    graph.upsert(identity, { uid, ownerReferences });
const absent =
  (uid: string, identity: Identity): Step =>
  (graph) =>
    graph.removeAt(uid, identity);

const cases: readonly {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Work of the last step. */
  readonly work: readonly string[];
  /** Coordinates of the owner "o" then; undefined if it is not in the graph. */
  readonly owner?: string;
}[] = [
  {
    name: "requests an owner that is known only by a reference",
    steps: [seen("d", at("d", "a"), to("o"))],
    work: ["delete o"],
    owner: "a/o virtual",
  },
  {
    name: "drops a virtual owner on whose coordinates all dependents agree",
    steps: [seen("d", at("d", "a"), to("o")), absent("o", at("o", "a"))],
    work: ["delete d"],
  },
  {
    name: "tries the namespace of another dependent, and checks only those of the absent one",
    steps: [
      seen("bad", at("d", "z"), to("o")),
      seen("good", at("d", "a"), to("o")),
      absent("o", at("o", "z")),
    ],
    work: ["delete bad"],
    owner: "a/o virtual",
  },
  {
    name: "checks a dependent that disagrees with a virtual owner's coordinates",
    steps: [seen("bad", at("d", "z"), to("o")), seen("good", at("d", "a"), to("o"))],
    work: ["delete good"],
    owner: "z/o virtual",
  },
  {
    name: "reports and checks the wrong dependents when the owner is seen later",
    steps: [
      seen("bad", at("d", "z"), to("o")),
      seen("good", at("d", "a"), to("o")),
      seen("o", at("o", "a")),
    ],
    work: ["report bad o", "delete bad"],
    owner: "a/o",
  },
  {
    name: "reports and checks a wrong dependent of an owner seen before",
    steps: [seen("o", at("o", "a")), seen("bad", at("d", "z"), to("o"))],
    work: ["report bad o", "delete bad"],
    owner: "a/o",
  },
  {
    name: "does not doubt dependents of a cluster-scoped owner in any namespace",
    steps: [
      seen("d1", at("d", "a"), to("o")),
      seen("d2", at("d", "b"), to("o")),
      seen("o", at("o")),
      seen("d3", at("d", "c"), to("o")),
    ],
    work: [],
    owner: "/o",
  },
  {
    name: "checks a dependent that names another kind or name",
    steps: [seen("o", at("o", "a")), seen("d", at("d", "a"), to("o", "other"))],
    work: ["delete d"],
    owner: "a/o",
  },
  {
    name: "keeps a seen owner that is absent at the coordinates of a wrong reference",
    steps: [seen("bad", at("d", "z"), to("o")), seen("o", at("o", "a")), absent("o", at("o", "z"))],
    work: ["delete bad"],
    owner: "a/o",
  },
  {
    name: "drops a seen owner that is absent at its own coordinates",
    steps: [seen("o", at("o", "a")), seen("d", at("d", "a"), to("o")), absent("o", at("o", "a"))],
    work: ["delete d"],
  },
];

for (const { name, steps, work, owner } of cases) {
  test(`OwnerGraph ${name}`, () => {
    const graph = new OwnerGraph(new AbsentOwners());
    const works = steps.map((step) => shown(step(graph)));
    const node = graph.find("o");
    const { namespace = "", name: ownName } = node?.identity ?? {};
    const coordinates = node && `${namespace}/${ownName}${node.isVirtual ? " virtual" : ""}`;
    assert.deepEqual({ work: works.at(-1), owner: coordinates }, { work, owner });
  });
}

test("OwnerGraph orphans when a second deletion asks for it", () => {
  const graph = new OwnerGraph(new AbsentOwners());
  const deleted = (finalizers: string[]) =>
    shown(graph.upsert(at("o", "a"), { uid: "o", deletionTimestamp: "now", finalizers }));
  assert.deepEqual(deleted(["foregroundDeletion"]), ["delete o"]);
  assert.deepEqual(deleted(["orphan"]), ["orphan o"]);
  assert.deepEqual(deleted(["orphan"]), []);
});

test("AbsentOwners compares coordinates and uids, and keeps the newest", () => {
  const owners = new AbsentOwners();
  owners.add(at("o", "a"), "u");
  assert.deepEqual(
    [
      owners.has(at("o", "a"), "u"),
      owners.has(at("o", "b"), "u"),
      owners.has(at("o", "a", "Secret"), "u"),
      owners.has(at("o", "a"), "v"),
    ],
    [true, false, false, false],
  );
  for (let index = 0; index < 500; index++) owners.add(at("o", "a"), `u${index}`);
  assert.deepEqual([owners.has(at("o", "a"), "u"), owners.has(at("o", "a"), "u0")], [false, true]);
});
