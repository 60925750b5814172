import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import type { Eviction } from "../state/pod-services.ts";
import { noPressure } from "../state/pressure.ts";
import { StoredValue } from "../state/stored-value.ts";
import { evictionThresholds, type Signal, thresholdBytes } from "../state/thresholds.ts";
import { planCollection } from "./container-collection.ts";
import type { Observations } from "./eviction-state.ts";
import { bytesToFree, removableImages } from "./image-collection.ts";
import { localStorageViolation } from "./local-storage.ts";
import { NodeEviction } from "./node-eviction.ts";
import { admitUnderPressure } from "./pressure-admission.ts";
import { rankPods } from "./rank-pods.ts";

const pod = (name: string, memory?: string, priority = 0): Pod => ({
  metadata: { name, uid: name },
  spec: {
    priority,
    containers: [{ name: "c", ...(memory && { resources: { requests: { memory } } }) }],
  },
});

test("evictionThresholds() has upstream's defaults", () => {
  const found = evictionThresholds({}).map(({ signal, value }) => [
    signal,
    thresholdBytes(value, 1000),
  ]);
  assert.deepEqual(found, [
    ["memory.available", 104857600],
    ["nodefs.available", 100],
    ["nodefs.inodesFree", 50],
    ["imagefs.available", 150],
    ["imagefs.inodesFree", 50],
    ["allocatableMemory.available", 104857600],
  ]);
});

test("rankPods() orders pods above their request first, then by priority", () => {
  const pods = [pod("modest", "1Gi"), pod("vital", undefined, 10), pod("greedy"), pod("more")];
  const usage: Record<string, number> = { modest: 100, vital: 900, greedy: 300, more: 400 };
  const ranked = rankPods(pods, "memory", ({ metadata }) => usage[metadata.name ?? ""]);
  assert.deepEqual(
    ranked.map(({ metadata }) => metadata.name),
    ["more", "greedy", "vital", "modest"],
  );
});

test("NodeEviction evicts one pod, refuses new ones, and accepts them when the pressure is over", async () => {
  const clock = new FakeClock();
  const evicted: [string, Eviction][] = [];
  const pressure = new StoredValue(noPressure);
  let available = 1;
  const eviction = new NodeEviction({
    clock,
    thresholds: evictionThresholds({ evictionHard: { "memory.available": "100Mi" } }),
    transitionMs: 300_000,
    maxGracePeriodSeconds: 0,
    observe: async () =>
      new Map<Signal, { available: number; capacity: number }>([
        ["memory.available", { available: available * 2 ** 20, capacity: 2 ** 30 }],
      ]) as Observations,
    podStats: async () => [],
    localUsage: async () => ({ volumes: new Map(), containers: new Map(), ownFilesBytes: 0 }),
    activePods: () => [pod("a"), pod("b", "1Gi")],
    reclaim: async () => undefined,
    evict: async (one, how) => void evicted.push([one.metadata.name ?? "", how]),
    nodeEvents: { record: () => undefined },
    podEvents: { record: () => undefined },
    pressure,
  });
  await eviction.look();
  assert.deepEqual(
    evicted.map(([name, { message, gracePeriodSeconds }]) => [name, message, gracePeriodSeconds]),
    [["a", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 1Mi. ", 1]],
  );
  assert.deepEqual(admitUnderPressure(pod("new"), pressure.value), {
    admitted: false,
    reason: "Evicted",
    message: "The node had condition: [MemoryPressure]. ",
  });
  assert.equal(admitUnderPressure(pod("new", "1Mi"), pressure.value).admitted, true);
  available = 200;
  await eviction.look();
  assert.equal(pressure.value.memory, true);
  clock.setWallClock(clock.now() + 300_000);
  await eviction.look();
  assert.equal(pressure.value.memory, false);
});

const dead = (id: string, name: string, createdAtMs: number, sandboxId = "s") =>
  ({ id, name, createdAtMs, sandboxId, state: "exited" }) as ObservedContainer;

test("planCollection() keeps the newest dead container of each name, and the newest sandbox", () => {
  const observed = (uid: string) =>
    ({
      uid,
      containers: [dead("1", "a", 1), dead("2", "a", 2), dead("3", "b", 1)],
      sandboxes: [
        { id: "s", ready: false, createdAtMs: 2 },
        { id: "old", ready: false, createdAtMs: 1 },
      ],
    }) as unknown as ObservedPod;
  const policy = { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 };
  const states = {
    mayRemoveContainers: () => false,
    mayRemoveContent: (uid: string) => uid === "gone",
  };
  assert.deepEqual(planCollection([observed("here")], states, policy, 10), {
    containers: ["1"],
    sandboxes: ["old"],
  });
  assert.deepEqual(planCollection([observed("gone")], states, policy, 10), {
    containers: ["2", "1", "3"],
    sandboxes: ["s", "old"],
  });
});

test("least recently used images are removed first", () => {
  const image = (id: string, lastUsedMs: number, more = {}) => ({
    id,
    sizeBytes: 10,
    firstSeenMs: 0,
    lastUsedMs,
    pinned: false,
    inUse: false,
    ...more,
  });
  const images = [
    image("new", 5),
    image("old", 1),
    image("used", 9, { inUse: true }),
    image("pin", 0, { pinned: true }),
  ];
  const removable = removableImages(images, { minAgeMs: 1 }, 10);
  assert.deepEqual(
    removable.map(({ id }) => id),
    ["old", "new"],
  );
  const filesystem = { capacityBytes: 100, availableBytes: 10 };
  assert.deepEqual(bytesToFree(filesystem, { highPercent: 85, lowPercent: 80 }), {
    usedPercent: 90,
    bytes: 10,
  });
});

test("localStorageViolation() names the limit that is exceeded", () => {
  const limited: Pod = {
    metadata: {},
    spec: {
      volumes: [{ name: "v", emptyDir: { sizeLimit: "1Ki" } }],
      containers: [{ name: "c", resources: { limits: { "ephemeral-storage": "2Ki" } } }],
    },
  };
  const usage = (volume: number, container: number, ownFilesBytes = 0) => ({
    volumes: new Map([["v", volume]]),
    containers: new Map([["c", container]]),
    ownFilesBytes,
  });
  assert.equal(localStorageViolation(limited, usage(1024, 1024)), undefined);
  assert.equal(
    localStorageViolation(limited, usage(1025, 0)),
    'Usage of EmptyDir volume "v" exceeds the limit "1Ki". ',
  );
  assert.equal(
    localStorageViolation(limited, usage(0, 0, 2049)),
    "Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. ",
  );
  assert.equal(
    localStorageViolation(limited, usage(1024, 1500)),
    "Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. ",
  );
});
