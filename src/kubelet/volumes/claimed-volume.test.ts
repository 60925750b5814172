import assert from "node:assert/strict";
import { test } from "node:test";
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims } from "#/api/core/v1.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { claimProblem } from "./claim-problem.ts";
import { setUpClaimed } from "./claimed-volume.ts";

const pod: Pod = { metadata: { uid: "u", name: "p", namespace: "n" }, spec: { containers: [] } };
const own = { name: "c", ownedByPod: true, readOnly: false };
const claim = (rest: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  metadata: { name: "c", ownerReferences: [{ ...owner, controller: true }] },
  spec: { volumeName: "pv" },
  status: { phase: "Bound" },
  ...rest,
});
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

const cases: [string, PersistentVolumeClaim | undefined, string | undefined, boolean?][] = [
  ["a bound claim", claim(), undefined],
  [
    "no claim",
    undefined,
    'failed to fetch PVC from API server: persistentvolumeclaims "c" not found',
    false,
  ],
  ["an unbound claim", claim({ status: { phase: "Pending" } }), "PVC is not bound", false],
  ["a claim without volume", claim({ spec: {} }), "PVC is not bound", false],
  [
    "a claim of another Pod",
    claim({ metadata: { name: "c" } }),
    "PVC n/c was not created for pod n/p (pod is not owner)",
    true,
  ],
  [
    "a deleted claim",
    claim({ metadata: { ...claim().metadata, deletionTimestamp: "2020-01-01T00:00:00Z" } }),
    "PVC is being deleted",
    true,
  ],
];
for (const [name, given, message, lasts] of cases) {
  test(`claimProblem() of ${name}`, () => {
    assert.deepEqual(claimProblem(given, own, pod), message && { message, lasts });
  });
}

test("setUpClaimed() waits for a claim, reports that it waits, and stops when the Pod is deleted", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const services = { client, clock, plugins: [] };
  const ending = new AbortController();
  const request = { pod, volume: { name: "v" }, signal: ending.signal };
  const start = () => {
    const state = { done: false };
    const result = setUpClaimed(request, { ...own, ownedByPod: false }, services).finally(() => {
      state.done = true;
    });
    result.catch(() => undefined);
    return { state, result };
  };
  const advance = async (state: { done: boolean }) => {
    for (let steps = 0; !state.done && steps < 10_000; steps++) {
      if (clock.pendingTimers > 0) await clock.advance(300);
      else await nextTurn();
    }
  };
  const first = start();
  await advance(first.state);
  await assert.rejects(first.result, { retryAfterMs: 300 });
  const second = start();
  await client.create(persistentVolumeClaims, {
    metadata: { name: "c", namespace: "default" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeName: "pv",
    },
  });
  ending.abort(new Error("deleted"));
  await assert.rejects(second.result, /deleted/);
});
