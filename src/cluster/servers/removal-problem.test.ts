import assert from "node:assert/strict";
import { test } from "node:test";
import { removalProblem } from "./removal-problem.ts";

const own = { name: "x", nodeName: "vm-3", nodeIp: "192.0.2.3" };
const member = (name: string, ip: string) => ({
  id: 1n,
  name,
  peerUrls: [`https://${ip}:2380`],
  clientUrls: [],
  isLearner: false,
});
const others = [member("vm-1", "192.0.2.1"), member("vm-2", "192.0.2.2")];

test("removalProblem() says what to do on a server that the others no longer have", () => {
  assert.match(removalProblem(others, own) ?? "", /goes on as vm-1, vm-2; .*down --purge --name x/);
  assert.equal(removalProblem([...others, member("vm-3", "192.0.2.3")], own), undefined);
  // Before its first start it has no name; after a change of its address, another one.
  assert.equal(removalProblem([...others, member("", "192.0.2.3")], own), undefined);
  assert.equal(removalProblem([...others, member("vm-3", "192.0.2.9")], own), undefined);
});
