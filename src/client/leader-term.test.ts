import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTerm, isTermOf, parseTerm, termOf } from "./leader-term.ts";

const term = { namespace: "kube-system", name: "x", uid: "u-1", holder: "vm ü_1", transitions: 3 };
const lease = {
  metadata: { namespace: "kube-system", name: "x", uid: "u-1" },
  spec: { holderIdentity: "vm ü_1", leaseTransitions: 3, renewTime: "2025-01-01T00:00:00.000000Z" },
};

test("a term is read from a lease, and from what was formatted", () => {
  assert.deepEqual(termOf(lease), term);
  assert.deepEqual(parseTerm(formatTerm(term)), term);
  assert.match(formatTerm(term), /^[\x21-\x7e ]+$/);
  assert.equal(termOf({ ...lease, spec: { holderIdentity: "" } }), undefined);
});

const others = [
  { name: "another holder", lease: { ...lease, spec: { ...lease.spec, holderIdentity: "b" } } },
  { name: "a later term", lease: { ...lease, spec: { ...lease.spec, leaseTransitions: 4 } } },
  { name: "nobody", lease: { ...lease, spec: { leaseTransitions: 3 } } },
  { name: "a lease made again", lease: { ...lease, metadata: { ...lease.metadata, uid: "u-2" } } },
];

test("isTermOf() is true of a renewed lease only", () => {
  const renewTime = "2025-01-01T00:00:02.000000Z";
  assert.ok(isTermOf(term, { ...lease, spec: { ...lease.spec, renewTime } }));
  for (const { name, lease: other } of others) assert.equal(isTermOf(term, other), false, name);
});

test("parseTerm() refuses other texts", () => {
  for (const text of ["", "a b c 1", "a b c x d", "a b c 1 d e", "a b c 1 %"]) {
    assert.equal(parseTerm(text), undefined, text);
  }
});
