import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { k8ts, traces } from "../e2e/machine.ts";
import { Machines } from "./machines.ts";
import { runRounds } from "./rounds.ts";

/** What a cluster needs to show that it goes on is its servers; the other parts would only cost time. */
const disabled = "metrics-server,gateway,local-storage,registry,network-policy,cluster-dns";
/** A fault of each kind: a program that ends, one that hangs, a network that is cut. The others are run by hand (run.ts). */
const faults = ["kill server and etcd", "stop server", "cut network"];
const name = `srv${process.pid.toString(36)}`;
const skip = existsSync("/usr/bin/etcd") ? false : "etcd is not installed";

test("three servers lose nothing when one of them fails, and one leaves", { skip }, async (t) => {
  const names: string[] = [];
  {
    const flags = [`--disable=${disabled}`];
    await using machines = await Machines.start(name, { servers: 3, agents: 1, flags });
    names.push(...machines.all.map((machine) => machine.name));
    const result = await runRounds(machines, {
      seed: 1,
      rounds: 1,
      faults,
      times: [2_000, 4_000],
      sets: true,
      report: (line) => t.diagnostic(line),
    });
    assert.deepEqual(result.violations, []);
    assert.ok(result.acknowledged > 0 && result.events > 0);

    const [first, , third] = machines.servers;
    assert.ok(first && third);
    assert.match(await k8ts("status", "--name", first.name), new RegExp(`${third.name} \\w+`));
    assert.match(await k8ts("etcd", "defrag", "--name", first.name), new RegExp(third.name));
    machines.servers.splice(2, 1);
    await k8ts("leave", "--name", third.name);
    const left = await k8ts("etcd", "ls", "--name", first.name);
    assert.equal(left.trim().split("\n").length, 3, left);
    const nodes = await machines.kubectl(first, "get", "nodes", "-o", "name");
    assert.doesNotMatch(nodes, new RegExp(`/${third.name}$`, "m"));
  }
  for (const one of names) assert.deepEqual(await traces(one), []);
});
