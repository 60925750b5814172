import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import { takeCpus } from "./cpu-topology.ts";
import { ExclusiveCpus, reservedCpus } from "./exclusive-cpus.ts";
import { reconcileCpus } from "./reconcile-cpus.ts";

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

const saved = (state: object | string) =>
  typeof state === "string" ? state : JSON.stringify({ policyName: "static", ...state });
const states: [string, string, RegExp | undefined][] = [
  ["fits", saved({ defaultCpuSet: "0,2-7", entries: { u: { c: "1" } } }), undefined],
  ["is empty", saved({ defaultCpuSet: "" }), undefined],
  [
    "is cut off",
    '{"policyName":"sta',
    /^could not restore state from checkpoint: .*before restarting Kubelet$/,
  ],
  ["has no content", "", /^could not restore state from checkpoint/],
  ["is another file", "{}", /^could not restore state from checkpoint: checkpoint is corrupted/],
  ["has a broken set", saved({ defaultCpuSet: "x" }), /^could not restore state from checkpoint/],
  [
    "is of another policy",
    saved({ policyName: "none", defaultCpuSet: "" }),
    /configured policy "static" differs from state checkpoint policy "none"/,
  ],
  [
    "has a reserved processor",
    saved({ defaultCpuSet: "1-7", entries: { u: { c: "0" } } }),
    /^not all reserved cpus: "0" are present in defaultCpuSet: "1-7"$/,
  ],
  [
    "has a processor twice",
    saved({ defaultCpuSet: "0-7", entries: { u: { c: "1" } } }),
    /^pod: u, container: c cpuset: "1" overlaps with default cpuset "0-7"$/,
  ],
  [
    "is of a larger machine",
    saved({ defaultCpuSet: "0-15" }),
    /^current set of available CPUs "0-7" doesn't match with CPUs in state "0-15"$/,
  ],
];
for (const [name, text, problem] of states) {
  test(`ExclusiveCpus ${problem ? "refuses" : "loads"} a state file that ${name}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "k8ts-cpus-"));
    const stateFile = join(directory, "cpu_manager_state");
    await writeFile(stateFile, text);
    const open = () => new ExclusiveCpus({ topology, reserved: new Set([0]), stateFile });
    if (problem) assert.throws(open, { message: problem });
    else open();
    await rm(directory, { recursive: true });
  });
}

test("reconcileCpus() releases processors of Pods that are gone, and retries what failed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-cpus-"));
  const stateFile = join(directory, "cpu_manager_state");
  await writeFile(
    stateFile,
    saved({ defaultCpuSet: "0,3-7", entries: { gone: { c: "1" }, u: { c: "2" } } }),
  );
  const cpus = new ExclusiveCpus({ topology, reserved: new Set([0]), stateFile });
  const clock = new FakeClock();
  const moves: string[] = [];
  let failures = 1;
  const runtime = {
    async UpdateContainerResources(request: {
      containerId: string;
      linux: { cpusetCpus: string };
    }) {
      if (failures-- > 0) throw new Error("not now");
      moves.push(`${request.containerId} ${request.linux.cpusetCpus}`);
      return {};
    },
  };
  const observed = ["u", "v"].map((uid) => ({
    uid,
    containers: [{ id: `${uid}1`, name: "c", state: "running" }],
  }));
  const known = [guaranteed("u", "1"), guaranteed("v", "500m")];
  const pods = {
    isComplete: false,
    pods: () => known,
    allObserved: () => observed,
    findByUID: (uid: string) => known.find(({ metadata }) => metadata.uid === uid),
  };
  const ending = new AbortController();
  const options = { cpus, runtime, pods, clock, everyMs: 10_000 };
  const running = reconcileCpus(options as never, ending.signal);
  await clock.advance(0);
  assert.deepEqual(moves, ["v1 0,3-7"], "the first update has failed");
  pods.isComplete = true;
  await clock.advance(10_000);
  assert.deepEqual(moves.slice(1), ["u1 2", "v1 0-1,3-7"]);
  await clock.advance(30_000);
  assert.equal(moves.length, 3, "nothing is repeated");
  ending.abort();
  await running;
  await rm(directory, { recursive: true });
});
