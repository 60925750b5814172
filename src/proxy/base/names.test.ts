import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointName, servicePortNames } from "../iptables/names.ts";
import { endpointNames } from "../nftables/names.ts";
import { hashName } from "./hash-name.ts";
import type { ServicePort } from "./service-port.ts";

const port = {
  title: "default/kubernetes:https",
  namespace: "default",
  name: "kubernetes",
  portName: "https",
  protocol: "TCP",
} as ServicePort;

test("hashName() is a prefix of the base32 form of a SHA-256", () => {
  assert.equal(hashName("default/kubernetes:httpstcp", 16), "NPX46M4PTMTKRN6Y");
});

test("servicePortNames() are upstream's", () => {
  assert.equal(servicePortNames(port).cluster, "KUBE-SVC-NPX46M4PTMTKRN6Y");
});

test("endpointName() and endpointNames() take the address into account", () => {
  const endpoint = { ip: "fd00::1", port: 6443, address: "[fd00::1]:6443" } as never;
  assert.match(endpointName(port, endpoint), /^KUBE-SEP-[A-Z2-7]{16}$/);
  assert.match(
    endpointNames(port, endpoint).chain,
    /^endpoint-[A-Z2-7]{8}-default\/kubernetes\/tcp\/https__fd00\.\.1\/6443$/,
  );
});
