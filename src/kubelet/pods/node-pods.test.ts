import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { PodTable } from "../state/pod-table.ts";
import { mirrorAnnotation, sourceAnnotation } from "../state/static-pods.ts";
import { StatusWriter } from "../status/status-writer.ts";
import { NodePods } from "./node-pods.ts";
import type { PodWork, PodWorker } from "./pod-worker.ts";

const apiPod = (uid: string): Pod => testPod({}, { uid, name: uid });
const staticPod = (uid: string, name = "static"): Pod =>
  testPod({}, { uid, name, annotations: { [sourceAnnotation]: "file" } });
const mirrorPod = (name: string): Pod =>
  testPod({}, { uid: `mirror-${name}`, name, annotations: { [mirrorAnnotation]: "x" } });
const deleted = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2025-01-01T00:00:00Z" },
});

/**
 * NodePods with work that a test completes step by step, and a node that has no room for "large" pods, but makes room for
 * the pod "critical" by ending all others.
 */
class Fixture {
  readonly clock = new FakeClock();
  readonly table = new PodTable<PodWorker>();
  readonly log: string[] = [];
  syncs = 0;
  readonly #begun = new Set<string>();
  readonly #stops = new Map<string, () => void>();
  readonly #ended = new Set<string>();
  readonly #statuses = new StatusWriter({
    client: undefined,
    clock: this.clock,
    table: this.table,
  });
  readonly pods = new NodePods({
    work: this.#work(),
    clock: this.clock,
    table: this.table,
    observed: { get: () => undefined },
    statuses: this.#statuses,
    events: { record: () => undefined },
    admission: {
      admit: ({ metadata }, others) =>
        metadata.name === "large" || (metadata.name === "critical" && others.length > 0)
          ? { admitted: false, reason: "OutOfcpu", message: "no room" }
          : { admitted: true },
      makeRoom: ({ metadata }, others) => (metadata.name === "critical" ? others : undefined),
    },
    resizing: { allocate: (pod) => pod, forget: () => undefined },
    mirrors: { delete: async ({ metadata }) => void this.log.push(`delete ${metadata.uid}`) },
  });

  #work(): PodWork {
    return {
      sync: async ({ metadata: { uid = "" } }) => {
        this.syncs++;
        if (!this.#begun.has(uid)) this.log.push(`start ${uid}`);
        this.#begun.add(uid);
        return { ended: this.#ended.delete(uid) };
      },
      stop: async ({ metadata: { uid = "" } }) => {
        // A pod that was never started has nothing to stop.
        if (this.#begun.delete(uid)) {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#stops.set(uid, resolve);
          await promise;
        }
      },
      settle: async ({ metadata: { uid = "" } }) => void this.log.push(`settled ${uid}`),
    };
  }

  /** The containers of a pod end by themselves. */
  end(uid: string): void {
    this.#ended.add(uid);
    this.pods.wake(uid);
  }

  /** The containers of a pod that is being stopped have ended. */
  stopped(uid: string): void {
    this.#stops.get(uid)?.();
  }

  /** The state of a UID by the names of the table in node-pods.ts. */
  state(uid: string): string {
    const desired = this.table.isDesired(uid);
    const worker = this.table.workers.get(uid);
    if (!worker && !desired) return "unknown";
    if (!worker) return this.#statuses.get(uid)?.phase === "Failed" ? "rejected" : "preempting";
    const { kind } = worker.state;
    if (kind === "finished") return desired ? "done" : "finished but not desired";
    if (!desired) return `ending: ${kind}`;
    return kind === "syncing" && !this.#begun.has(uid) ? "waiting" : `working: ${kind}`;
  }
}

type Step = readonly [
  input: string,
  act: (fixture: Fixture) => unknown,
  states: Record<string, string>,
];

const set =
  (pod: Pod): Step[1] =>
  (fixture) =>
    fixture.pods.set(pod);
const remove =
  (pod: Pod): Step[1] =>
  (fixture) =>
    fixture.pods.delete(pod);
const stopped =
  (uid: string): Step[1] =>
  (fixture) =>
    fixture.stopped(uid);

/** Each input with the resulting states, and all work that was done in the end. */
const transcripts: readonly { name: string; steps: readonly Step[]; log: readonly string[] }[] = [
  {
    name: "a pod runs, is deleted and is removed",
    steps: [
      ["desired", set(apiPod("a")), { a: "working: syncing" }],
      ["deleted", set(deleted(apiPod("a"))), { a: "working: terminating" }],
      ["stopped", stopped("a"), { a: "done" }],
      ["gone from the API", remove(apiPod("a")), { a: "unknown" }],
    ],
    log: ["start a", "settled a"],
  },
  {
    name: "a pod that has ended isn't started again while it is desired",
    steps: [
      ["desired", set(apiPod("a")), { a: "working: syncing" }],
      ["its containers end", (fixture) => fixture.end("a"), { a: "working: terminating" }],
      ["stopped", stopped("a"), { a: "done" }],
      ["changed", set(apiPod("a")), { a: "done" }],
      ["gone", remove(apiPod("a")), { a: "unknown" }],
    ],
    log: ["start a", "settled a"],
  },
  {
    name: "a pod that vanishes from the API is ended and dropped",
    steps: [
      ["desired", set(apiPod("a")), { a: "working: syncing" }],
      ["gone", remove(apiPod("a")), { a: "ending: terminating" }],
      ["stopped", stopped("a"), { a: "unknown" }],
    ],
    log: ["start a", "settled a"],
  },
  {
    name: "a pod without room is rejected, and needs a worker only to be deleted",
    steps: [
      ["desired", set(apiPod("large")), { large: "rejected" }],
      ["changed", set(apiPod("large")), { large: "rejected" }],
      ["deleted", set(deleted(apiPod("large"))), { large: "done" }],
      ["gone", remove(apiPod("large")), { large: "unknown" }],
    ],
    log: ["settled large"],
  },
  {
    name: "a rejected pod that vanishes is dropped",
    steps: [
      ["desired", set(apiPod("large")), { large: "rejected" }],
      ["gone", remove(apiPod("large")), { large: "unknown" }],
    ],
    log: [],
  },
  {
    name: "a critical pod starts when those that it preempts have ended",
    steps: [
      ["desired", set(apiPod("a")), { a: "working: syncing" }],
      [
        "critical pod",
        set(apiPod("critical")),
        { a: "working: terminating", critical: "preempting" },
      ],
      ["changed", set(apiPod("critical")), { critical: "preempting" }],
      ["stopped", stopped("a"), { a: "done", critical: "working: syncing" }],
    ],
    log: ["start a", "settled a", "start critical"],
  },
  {
    name: "a critical pod that vanishes while it waits for room is not started",
    steps: [
      ["desired", set(apiPod("a")), { a: "working: syncing" }],
      ["critical pod", set(apiPod("critical")), { critical: "preempting" }],
      ["gone", remove(apiPod("critical")), { critical: "unknown" }],
      ["stopped", stopped("a"), { a: "done", critical: "unknown" }],
    ],
    log: ["start a", "settled a"],
  },
  {
    name: "a changed static pod waits for the one it replaces",
    steps: [
      ["file", set(staticPod("s1")), { s1: "working: syncing" }],
      ["file changed: old", remove(staticPod("s1")), { s1: "ending: terminating" }],
      ["file changed: new", set(staticPod("s2")), { s1: "ending: terminating", s2: "waiting" }],
      ["stopped", stopped("s1"), { s1: "unknown", s2: "working: syncing" }],
    ],
    log: ["start s1", "settled s1", "start s2"],
  },
  {
    name: "a static pod that is changed twice waits for the first one too",
    steps: [
      ["file", set(staticPod("s1")), { s1: "working: syncing" }],
      ["old", remove(staticPod("s1")), { s1: "ending: terminating" }],
      ["new", set(staticPod("s2")), { s2: "waiting" }],
      [
        "newer",
        ({ pods }) => {
          pods.delete(staticPod("s2"));
          pods.set(staticPod("s3"));
        },
        { s1: "ending: terminating", s2: "unknown", s3: "waiting" },
      ],
      ["stopped", stopped("s1"), { s1: "unknown", s3: "working: syncing" }],
    ],
    log: ["start s1", "settled s2", "settled s1", "start s3"],
  },
  {
    name: "a static pod that is added again while it ends is started again",
    steps: [
      ["file", set(staticPod("s1")), { s1: "working: syncing" }],
      ["file removed", remove(staticPod("s1")), { s1: "ending: terminating" }],
      ["file is back", set(staticPod("s1")), { s1: "working: terminating" }],
      ["stopped", stopped("s1"), { s1: "working: syncing" }],
    ],
    log: ["start s1", "settled s1", "start s1"],
  },
  {
    name: "a static pod that was added again and removed again is new the next time",
    steps: [
      ["file", set(staticPod("s1")), { s1: "working: syncing" }],
      ["file removed", remove(staticPod("s1")), { s1: "ending: terminating" }],
      ["file is back", set(staticPod("s1")), { s1: "working: terminating" }],
      ["file removed", remove(staticPod("s1")), { s1: "ending: terminating" }],
      ["stopped", stopped("s1"), { s1: "unknown" }],
      ["file is back", set(staticPod("s1")), { s1: "working: syncing" }],
      ["its containers end", (fixture) => fixture.end("s1"), { s1: "working: terminating" }],
      ["stopped", stopped("s1"), { s1: "done" }],
    ],
    log: ["start s1", "settled s1", "start s1", "settled s1"],
  },
  {
    name: "a mirror pod without static pod is deleted",
    steps: [
      ["static pod", set(staticPod("s1")), { s1: "working: syncing" }],
      ["its mirror", set(mirrorPod("static")), { s1: "working: syncing" }],
      ["a mirror of nothing", set(mirrorPod("other")), { "mirror-other": "unknown" }],
    ],
    log: ["start s1", "delete mirror-other"],
  },
  {
    name: "the runtime's containers of an unknown pod are stopped",
    steps: [
      [
        "observed",
        ({ pods }) =>
          pods.adoptOrphan({
            uid: "o",
            name: "o",
            namespace: "n",
            ips: [],
            sandboxes: [],
            containers: [],
          }),
        { o: "unknown" },
      ],
    ],
    log: ["settled o"],
  },
];

for (const { name, steps, log } of transcripts) {
  test(`NodePods: ${name}`, async () => {
    const fixture = new Fixture();
    for (const [input, act, states] of steps) {
      act(fixture);
      await fixture.clock.advance(0);
      const found = Object.fromEntries(Object.keys(states).map((uid) => [uid, fixture.state(uid)]));
      assert.deepEqual(found, states, input);
    }
    assert.deepEqual(fixture.log, log);
    fixture.pods.close();
  });
}

test("NodePods doesn't sync a Pod again after a change of its status alone", async () => {
  const fixture = new Fixture();
  const settle = () => fixture.clock.advance(0);
  fixture.pods.set(apiPod("a"));
  await settle();
  assert.equal(fixture.syncs, 1);
  fixture.pods.set({ ...apiPod("a"), status: { phase: "Running" } });
  await settle();
  assert.equal(fixture.syncs, 1);
  const labelled = { ...apiPod("a").metadata, labels: { a: "b" } };
  fixture.pods.set({ ...apiPod("a"), metadata: labelled });
  await settle();
  assert.equal(fixture.syncs, 2);
  fixture.pods.set({ ...apiPod("a"), metadata: labelled, status: { phase: "Failed" } });
  await settle();
  assert.equal(fixture.state("a"), "working: terminating");
  fixture.stopped("a");
});

test("NodePods syncs a static Pod after a change of its mirror, but not of the mirror's status", async () => {
  const fixture = new Fixture();
  const settle = () => fixture.clock.advance(0);
  fixture.pods.set(staticPod("s"));
  fixture.pods.set(mirrorPod("static"));
  await settle();
  const before = fixture.syncs;
  fixture.pods.set({ ...mirrorPod("static"), status: { phase: "Running" } });
  await settle();
  assert.equal(fixture.syncs, before);
  fixture.pods.set(deleted(mirrorPod("static")));
  await settle();
  assert.equal(fixture.syncs, before + 1);
});
