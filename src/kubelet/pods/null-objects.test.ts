import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { nullObjects } from "#/testing/null-objects.ts";
import { computePodActions } from "../plan/pod-actions.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import { computePodStatus } from "../status/pod-status.ts";

const none: ObservedPod = {
  uid: "u",
  name: "p",
  namespace: "n",
  ips: [],
  sandboxes: [],
  containers: [],
};

test("sync and status of a Pod treat null as absent in every list, map and time", () => {
  let tried = 0;
  for (const { kind, path, object } of nullObjects()) {
    if (kind !== "Pod") continue;
    const pod = dropNulls(object) as unknown as Pod;
    // The server refuses Pods without containers.
    if (pod.spec) pod.spec.containers ??= [];
    assert.doesNotThrow(() => {
      computePodActions(pod, none, { probe: () => undefined });
      computePodStatus({
        pod,
        observed: none,
        old: pod.status ?? {},
        terminal: false,
        isStatic: false,
        hostIPs: ["10.0.0.1"],
        runtimeName: "containerd",
        recursiveReadOnly: false,
        failureOf: () => undefined,
        applyProbes: (status) => status,
      });
    }, path);
    tried++;
  }
  assert.ok(tried > 50);
});
