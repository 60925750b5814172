import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodStatus } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { PodProbes } from "../probes/pod-probes.ts";
import { KubeletMetrics } from "./kubelet-metrics.ts";

const pod = testPod({
  containers: [{ name: "c", readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1 } }],
});
const status: PodStatus = {
  phase: "Running",
  containerStatuses: [
    {
      name: "c",
      image: "i",
      imageID: "",
      ready: false,
      restartCount: 0,
      started: true,
      containerID: "containerd://1",
      state: { running: { startedAt: "1970-01-01T00:00:00Z" } },
    },
  ],
};

/** Probes whose runs end when the test says so. */
function openProbes() {
  const clock = new FakeClock();
  const metrics = new KubeletMetrics("n");
  const runs: (() => void)[] = [];
  const probes = new PodProbes({
    clock,
    random: () => 0,
    statuses: { get: () => ({ ...status, podIP: "10.0.0.1" }) },
    runner: {
      run: () =>
        new Promise((resolve) => {
          runs.push(() => resolve({ result: "success", output: "" }));
        }),
    },
    events: { record: () => undefined },
    observe: metrics.observeProbe,
    forget: metrics.forgetProbe,
  });
  const series = () =>
    [...metrics.probes.expose()]
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("prober_")).length;
  return { clock, probes, runs, series };
}

test("PodProbes removes the metrics of a Pod that is gone", async () => {
  const { clock, probes, runs, series } = openProbes();
  probes.addPod(pod);
  await clock.advance(0);
  runs.shift()?.();
  await clock.advance(0);
  assert.notEqual(series(), 0);
  probes.removePod(pod.metadata.uid ?? "");
  assert.equal(series(), 0);
});

test("PodProbes counts no probe that ends after its Pod is gone", async () => {
  const { clock, probes, runs, series } = openProbes();
  probes.addPod(pod);
  await clock.advance(0);
  probes.removePod(pod.metadata.uid ?? "");
  assert.equal(runs.length, 1);
  runs.shift()?.();
  await clock.advance(0);
  assert.equal(series(), 0);
});
