import assert from "node:assert/strict";
import { test } from "node:test";
import { localPods, sandboxesOf } from "./local-pods.ts";

const result = (name: string, ip: string, link = "veth1") => ({
  bridge: "cni0",
  link,
  mac: "02:00:00:00:00:01",
  ips: [ip],
  pod: { namespace: "a", name },
});

test("sandboxesOf() has the addresses of this node's networks, and those of the link", () => {
  const results = [
    result("x", "10.0.0.2"),
    result("y", "10.9.0.2"),
    { ...result("z", "10.0.0.3"), pod: undefined },
  ];
  const found = sandboxesOf(results, ["10.0.0.0/24"]);
  assert.deepEqual(
    [...found],
    [["pods/a/x", { ips: ["10.0.0.2"], linkIps: ["fe80::0:ff:fe00:1"], links: ["veth1"] }]],
  );
});

test("localPods() gives an address to the Pod whose sandbox has it, whatever statuses say", () => {
  const sandboxes = sandboxesOf([result("new", "10.0.0.2")], ["10.0.0.0/24"]);
  const reported = [
    { key: "pods/a/old", ips: ["10.0.0.2"] },
    { key: "pods/a/new", ips: [] },
    { key: "pods/a/other", ips: ["10.0.0.3"] },
    { key: "pods/a/none", ips: [] },
  ];
  assert.deepEqual(
    localPods(reported, sandboxes).map(({ key, ips }) => [key, ...ips]),
    [
      ["pods/a/new", "10.0.0.2"],
      ["pods/a/other", "10.0.0.3"],
    ],
  );
});
