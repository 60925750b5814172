import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { takeCpus } from "./cpu-topology.ts";
import { ExclusiveCpus, reservedCpus } from "./exclusive-cpus.ts";

/** Two sockets of two cores with two threads; threads are four apart. */
const topology = [0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => ({
  cpu,
  socket: cpu % 4 < 2 ? 0 : 1,
  core: cpu % 4,
}));

test("parseCpuSet() and formatCpuSet() use the kernel's notation", () => {
  assert.deepEqual([...parseCpuSet("0-2,5\n")], [0, 1, 2, 5]);
  assert.equal(formatCpuSet([5, 1, 0, 2]), "0-2,5");
  assert.equal(formatCpuSet([]), "");
  assert.throws(() => parseCpuSet("a"), /is no set of CPUs/);
});

const takes: [string, number[], number, number[] | undefined][] = [
  ["a whole socket", [0, 1, 2, 3, 4, 5, 6, 7], 4, [0, 1, 4, 5]],
  ["a whole core", [0, 1, 2, 3, 4, 5, 6, 7], 2, [0, 4]],
  ["the thread left over", [1, 2, 3, 5, 6, 7, 4], 1, [4]],
  ["no more than there are", [1, 2], 3, undefined],
];
for (const [name, free, count, expected] of takes) {
  test(`takeCpus() takes ${name}`, () => {
    assert.deepEqual(takeCpus(topology, new Set(free), count), expected);
  });
}

const guaranteed = (uid: string, cpu: string): Pod => ({
  metadata: { uid },
  spec: {
    containers: [
      {
        name: "c",
        resources: { requests: { cpu, memory: "1Mi" }, limits: { cpu, memory: "1Mi" } },
      },
    ],
  },
});

test("ExclusiveCpus assigns whole processors, stores the assignment, and releases them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-cpus-"));
  const stateFile = join(directory, "cpu_manager_state");
  let changes = 0;
  const options = {
    topology,
    reserved: reservedCpus(topology, "", 500),
    stateFile,
  };
  const cpus = new ExclusiveCpus(options);
  cpus.subscribe(() => void changes++);
  const whole = guaranteed("u", "2");
  const [container = { name: "" }] = whole.spec.containers;
  assert.deepEqual(cpus.admit(whole), { admitted: true });
  assert.deepEqual(cpus.cpusFor(whole, container), { cpus: "1,5", exclusive: true });
  const part = guaranteed("v", "1500m");
  assert.equal(cpus.admit(part).admitted, true);
  assert.deepEqual(cpus.cpusFor(part, container), { cpus: "0,2-4,6-7", exclusive: false });
  assert.equal(cpus.admit(guaranteed("w", "6")).admitted, false);
  const again = new ExclusiveCpus(options);
  assert.equal(again.cpusFor(whole, container).cpus, "1,5");
  again.release("u");
  assert.equal(again.shared(), "0-7");
  assert.equal(changes, 1);
  assert.deepEqual(JSON.parse(await readFile(stateFile, "utf8")).entries, {});
  await rm(directory, { recursive: true });
});
