import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import type { EtcdSettings } from "../base/etcd-settings.ts";
import { etcdOf, keptEtcd, storeFlags } from "./store-flags.ts";
import { storeProblems } from "./store-problems.ts";

const parse = (...args: string[]) => parseFlags(storeFlags, args);
const foreign: EtcdSettings = {
  servers: ["https://h:2379"],
  caFile: "/ca",
  certFile: undefined,
  keyFile: undefined,
};

test("etcdOf() distinguishes the three stores", () => {
  assert.equal(etcdOf(parse().values), undefined);
  assert.deepEqual(etcdOf(parse("--etcd").values), { binary: undefined });
  const flags = ["--etcd-servers=https://h:2379", "--etcd-cafile=/ca"];
  assert.deepEqual(etcdOf(parse(...flags).values), foreign);
});

for (const { name, found, args, kept } of [
  { name: "nothing is given", found: { joined: ["a=b"] }, args: [], kept: { joined: ["a=b"] } },
  {
    name: "the same is given",
    found: { joined: ["a=b"] },
    args: ["--etcd"],
    kept: { joined: ["a=b"] },
  },
  { name: "etcd for the embedded store", found: undefined, args: ["--etcd"], kept: "refused" },
  { name: "the embedded store for etcd", found: {}, args: ["--etcd=false"], kept: "refused" },
  {
    name: "another's etcd for its own",
    found: {},
    args: ["--etcd-servers=http://h:1"],
    kept: "refused",
  },
  {
    name: "another program",
    found: { joined: ["a=b"] },
    args: ["--etcd-binary=/opt/etcd"],
    kept: { joined: ["a=b"], binary: "/opt/etcd" },
  },
  {
    name: "other addresses of the user's etcd",
    found: { servers: ["http://h:1"] },
    args: ["--etcd-servers=https://h:2379", "--etcd-cafile=/ca"],
    kept: foreign,
  },
] as const) {
  test(`keptEtcd(): ${name}`, () => {
    const { values, changed } = parse(...args);
    assert.deepEqual(keptEtcd(found, values, changed), kept);
  });
}

test("storeProblems() names each flag", () => {
  const servers = ["h:2379", "https://h:2379"];
  assert.deepEqual(storeProblems({ servers, certFile: "/no/such" }), [
    "--etcd-certfile=/no/such does not exist",
    "--etcd-servers=h:2379 is no address such as https://192.0.2.20:2379",
    "--etcd-servers=https://h:2379 needs --etcd-cafile, to know that it is yours",
    "--etcd-certfile and --etcd-keyfile go together",
  ]);
});
