import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesBy, podsAcross, podsIn } from "../model/member-set.ts";
import type { MemberSet } from "../model/policy.ts";
import { type Member, MemberIndex } from "./member-index.ts";

const pod = (namespace: string, name: string, labels = {}, more: Partial<Member> = {}): Member => ({
  key: `pods/${namespace}/${name}`,
  of: "pods",
  namespace,
  name,
  labels,
  ips: [],
  ports: [],
  age: "1",
  ...more,
});

function following(...sets: MemberSet[]): MemberIndex {
  const index = new MemberIndex();
  index.follow(new Map(sets.map((set) => [set.key, set])));
  index.takeChanged();
  return index;
}

const names = (index: MemberIndex, { key }: MemberSet): string[] =>
  index
    .membersOf(key)
    .map((member) => member.name)
    .sort();

test("MemberIndex selects by the labels of Pods and namespaces, whichever comes first", () => {
  const own = podsIn("a", { matchLabels: { app: "web" } });
  const across = podsAcross({ matchLabels: { team: "x" } }, undefined);
  const nodes = nodesBy({});
  const index = following(own, across, nodes);
  index.set(pod("a", "one", { app: "web" }));
  index.set(pod("a", "two"));
  index.set(pod("b", "three", { app: "web" }));
  index.set({ ...pod("", "node"), key: "nodes/node", of: "nodes" });
  assert.deepEqual(
    [own, across, nodes].map((set) => names(index, set)),
    [["one"], [], ["node"]],
  );
  index.setNamespace("a", { team: "x" });
  index.setNamespace("b", {});
  assert.deepEqual(names(index, across), ["one", "two"]);
  index.setNamespace("a", {});
  index.setNamespace("b", { team: "x" });
  index.set(pod("a", "two", { app: "web" }));
  index.delete("pods/a/one");
  assert.deepEqual(
    [own, across].map((set) => names(index, set)),
    [["two"], ["three"]],
  );
  index.setNamespace("b", undefined);
  assert.deepEqual(names(index, across), []);
});

test("MemberIndex selects from what is there when a selection comes, and forgets it when it goes", () => {
  const index = new MemberIndex();
  index.set(pod("a", "one"));
  const set = podsIn("a", {});
  index.follow(new Map([[set.key, set]]));
  assert.deepEqual([...index.takeChanged()], [set.key]);
  assert.deepEqual(index.setsOf("pods/a/one"), [set.key]);
  index.follow(new Map());
  assert.deepEqual(index.setsOf("pods/a/one"), []);
  assert.deepEqual(index.membersOf(set.key), []);
});

test("MemberIndex names the selections that a change concerns, and none for equal objects", () => {
  const [a, b] = [podsIn("a", {}), podsIn("b", {})];
  const index = following(a, b);
  const changedBy = (change: () => void): string[] => {
    change();
    return [...index.takeChanged()];
  };
  assert.deepEqual(
    changedBy(() => index.set(pod("a", "one"))),
    [a.key],
  );
  assert.deepEqual(
    changedBy(() => index.set(pod("a", "one"))),
    [],
  );
  assert.deepEqual(
    changedBy(() => index.set(pod("a", "one", {}, { ips: ["10.0.0.1"] }))),
    [a.key],
  );
  assert.deepEqual(
    changedBy(() => index.set(pod("c", "two"))),
    [],
  );
  assert.deepEqual(
    changedBy(() => index.delete("pods/a/one")),
    [a.key],
  );
});

test("MemberIndex gives an address to the younger of two Pods, and back", () => {
  const set = podsIn("a", {});
  const index = following(set);
  const old = pod("a", "old", {}, { ips: ["10.0.0.1"], age: "1" });
  const young = pod("b", "young", {}, { ips: ["10.0.0.1"], age: "2" });
  index.set(old);
  assert.equal(index.owns(old, "10.0.0.1"), true);
  index.takeChanged();
  index.set(young);
  assert.deepEqual([...index.takeChanged()], [set.key], "the selection of the old one has changed");
  assert.deepEqual([index.owns(old, "10.0.0.1"), index.owns(young, "10.0.0.1")], [false, true]);
  index.delete(young.key);
  assert.deepEqual([...index.takeChanged()], [set.key]);
  assert.equal(index.owns(old, "10.0.0.1"), true);
});
