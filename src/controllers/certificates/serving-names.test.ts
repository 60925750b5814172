import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { servingNamesProblem } from "./serving-names.ts";

const nodeOf = (name: string, addresses: readonly string[]): Node => ({
  metadata: { name },
  spec: {},
  status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
});

const reserved = {
  names: ["kubernetes", "kubernetes.default", "localhost", "VM", "api.example.com", "192.0.2.1"],
  networks: ["10.96.0.0/12", "10.244.0.0/16", "fd00:10::/108"],
  domains: ["Cluster.Local"],
};
const others = [nodeOf("other", ["192.0.2.9", "Other.Example", "2001:db8::9"])];
const clusterIps = ["203.0.113.10", "None"];

/** [name or address, the problem]; the node reports all of these as its own. */
const cases: readonly (readonly [asked: string, problem: string | undefined])[] = [
  ["evil", undefined],
  ["EVIL", undefined],
  ["evil.example.com", undefined],
  ["192.0.2.66", undefined],
  ["::ffff:192.0.2.66", undefined],
  ["2001:db8::66", undefined],
  ["kubernetes.default.svc", "is not a name of the node"],
  ["KUBERNETES.DEFAULT.SVC", "is not a name of the node"],
  ["KUBERNETES", "is not a name of the node"],
  ["localhost", "is not a name of the node"],
  ["vm", "is not a name of the node"],
  ["registry.example.com", "is not a name of the node"],
  ["other", "is not a name of the node"],
  ["evil.", "is not the name of a machine"],
  ["evil..example", "is not the name of a machine"],
  ["*", "is not the name of a machine"],
  ["*.default.SVC", "is not the name of a machine"],
  ["evil.*", "is not the name of a machine"],
  ["evil\0.example.com", "is not the name of a machine"],
  ["", "is not the name of a machine"],
  ["evil.svc", "is in a domain of the cluster"],
  ["evil.SVC.example.com", "is in a domain of the cluster"],
  ["evil.cluster.local", "is in a domain of the cluster"],
  ["evil.CLUSTER.local", "is in a domain of the cluster"],
  ["evil.localhost", "is in a domain of the cluster"],
  ["192.0.2.67", "is not an address of the node"],
  ["127.0.0.1", "is not an address of a machine"],
  ["::ffff:127.0.0.1", "is not an address of a machine"],
  ["::1", "is not an address of a machine"],
  ["0.0.0.0", "is not an address of a machine"],
  ["::", "is not an address of a machine"],
  ["169.254.169.254", "is not an address of a machine"],
  ["::ffff:169.254.169.254", "is not an address of a machine"],
  ["fe80::1", "is not an address of a machine"],
  ["224.0.0.1", "is not an address of a machine"],
  ["ff02::1", "is not an address of a machine"],
  ["255.255.255.255", "is not an address of a machine"],
  ["10.96.0.1", "is in a network of the cluster"],
  ["10.111.255.254", "is in a network of the cluster"],
  ["::ffff:10.96.0.1", "is in a network of the cluster"],
  ["10.244.1.5", "is in a network of the cluster"],
  ["fd00:10::1", "is in a network of the cluster"],
  ["203.0.113.10", "is a Service's"],
  ["192.0.2.1", "is the API server's"],
  ["::ffff:192.0.2.1", "is the API server's"],
  ["192.0.2.9", "is another node's"],
  ["::ffff:c000:209", "is another node's"],
  ["2001:0db8:0:0::9", "is another node's"],
];

for (const [asked, problem] of cases) {
  test(`servingNamesProblem() of ${JSON.stringify(asked)}: ${problem ?? "none"}`, () => {
    const reported = cases.map(([text]) => text).filter((text) => text !== "192.0.2.67");
    const names =
      asked.includes(":") || /^[\d.]+$/.test(asked) ? { ips: [asked] } : { dns: [asked] };
    const found = servingNamesProblem({ dns: [], ips: [], ...names }, nodeOf("evil", reported), {
      others,
      clusterIps,
      reserved,
    });
    assert.equal(found?.replace(/^\S+ /, ""), problem);
  });
}

const named: readonly (readonly [node: string, problem: string])[] = [
  ["kubernetes", "is the API server's"],
  ["kubernetes.default", "is the API server's"],
  ["vm", "is the API server's"],
  ["api.example.com", "is the API server's"],
  ["localhost", "is in a domain of the cluster"],
  ["kubernetes.default.svc", "is in a domain of the cluster"],
  ["cluster.local", "is in a domain of the cluster"],
  ["other.example", "is another node's"],
  ["10.96.0.1", "is not the name of a machine"],
];

for (const [name, problem] of named) {
  test(`servingNamesProblem() of a Node named ${name}: ${problem}`, () => {
    const known = { others, clusterIps, reserved };
    const found = servingNamesProblem({ dns: [name], ips: [] }, nodeOf(name, []), known);
    assert.equal(found, `"${name}" ${problem}`);
  });
}
