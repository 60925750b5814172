import { existsSync } from "node:fs";
import { test } from "node:test";
import { Machines } from "./machines.ts";
import { checkServers, rotate, subjects } from "./rotation.ts";

const disabled = "metrics-server,gateway,local-storage,registry,network-policy,cluster-dns";
const name = `rot${process.pid.toString(36)}`;
const skip = existsSync("/usr/bin/etcd") ? false : "etcd is not installed";

/** Another point for each: all of them are run by hand (run-rotations.ts). */
const kills = [5, 4, 7, 3, 6];

test("three servers rotate authorities and keys together, also when one is killed", {
  skip,
}, async (t) => {
  await using machines = await Machines.start(name, {
    servers: 3,
    agents: 1,
    flags: [`--disable=${disabled}`],
  });
  for (const [index, subject] of subjects.entries()) {
    const killed = machines.servers[1 + (index % 2)];
    const tookMs = await rotate(machines, {
      subject,
      kills: kills.slice(index, index + 1),
      killed,
    });
    t.diagnostic(`${subject}: ${tookMs} ms`);
    await checkServers(machines, `after-${index}`);
  }
});
