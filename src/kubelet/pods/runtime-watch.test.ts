import assert from "node:assert/strict";
import { test } from "node:test";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { RuntimePod } from "./observe-pod.ts";
import { RuntimeWatch } from "./runtime-watch.ts";

const id = { uid: "u", name: "web", namespace: "default" };
const listed: RuntimePod = {
  ...id,
  sandboxes: [{ id: "s", state: "SANDBOX_READY" } as RuntimePod["sandboxes"][number]],
  containers: [],
};
const sandbox = { id: "s" } as ObservedPod["sandboxes"][number];
const observed: ObservedPod = { ...id, ips: [], sandboxes: [sandbox], containers: [] };
const none: ObservedPod = { ...observed, sandboxes: [] };

/** A runtime without events; what it lists, and how often it was asked. */
function runtimeOf(clock: FakeClock) {
  const runtime = { pods: [] as RuntimePod[], lists: 0 };
  const listAll = async () => {
    runtime.lists++;
    return new Map(runtime.pods.map((pod) => [pod.uid, pod]));
  };
  const state = async () => (runtime.pods.length > 0 ? observed : none);
  const observation = {
    listAll,
    observe: state,
    detail: state,
    withSandbox: () => observed,
    keepOnly: () => undefined,
  };
  const service = {
    // biome-ignore lint/correctness/useYield: it has none.
    async *GetContainerEvents(): AsyncGenerator<never> {
      throw new GrpcError("UNIMPLEMENTED", "no events");
    },
  };
  return { runtime, watch: new RuntimeWatch(service, observation, clock) };
}

test("RuntimeWatch lists the pods of a runtime without events each second while there are some", async () => {
  const clock = new FakeClock();
  const { runtime, watch } = runtimeOf(clock);
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  const listsIn = async (seconds: number): Promise<number> => {
    const before = runtime.lists;
    for (let second = 0; second < seconds; second++) await clock.advance(1_000);
    return runtime.lists - before;
  };
  assert.equal(await listsIn(20), 2);
  // The kubelet has created the first: what becomes of it is seen as quickly as ever.
  await clock.advance(3_000);
  runtime.pods = [listed];
  await watch.refresh(id.uid);
  assert.ok((await listsIn(10)) >= 9);
  runtime.pods = [];
  assert.ok((await listsIn(2)) >= 1);
  assert.equal(watch.get(id.uid), undefined);
  assert.ok((await listsIn(20)) <= 2);
  stop.abort();
  await running;
});
