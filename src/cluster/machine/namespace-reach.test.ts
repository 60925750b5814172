import assert from "node:assert/strict";
import { test } from "node:test";
import { isHere, reachHints } from "./namespace-reach.ts";

const networks = ["127.0.0.1/8", "192.168.1.2/24", "10.191.4.217/30"];
const own = { name: "a", address: "192.168.1.2" };
const inNamespace = { name: "a-2", address: "10.191.4.218" };
const other = { name: "b", address: "192.168.1.3" };
const othersNamespace = { name: "b-2", address: "10.191.9.2" };

for (const { address, expected } of [
  { address: "192.168.1.2", expected: true },
  { address: "127.0.0.1", expected: true },
  { address: "10.191.4.218", expected: true },
  { address: "10.191.9.2", expected: false },
  { address: "192.168.1.3", expected: false },
]) {
  test(`isHere() of ${address} is ${expected}`, () => {
    assert.equal(isHere(address, networks), expected);
  });
}

for (const { nodes, named } of [
  { nodes: [own], named: undefined },
  { nodes: [own, inNamespace], named: undefined },
  { nodes: [own, other], named: undefined },
  { nodes: [inNamespace], named: undefined },
  { nodes: [own, inNamespace, other], named: "a-2" },
  { nodes: [own, other, othersNamespace], named: "b-2" },
]) {
  test(`reachHints() of ${nodes.map(({ name }) => name)} names ${named}`, () => {
    const [first] = reachHints(nodes, networks);
    assert.equal(first && /^ {2}network {4}(\S+):/.exec(first)?.[1], named);
  });
}
