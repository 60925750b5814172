import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { PodEnvironment, type PodEnvironmentOptions } from "./pod-environment.ts";

test("PodEnvironment records a warning for node and pod without cluster DNS", async () => {
  const recorded: string[] = [];
  const options: Partial<PodEnvironmentOptions> = {
    clusterDomain: "",
    clusterDNS: [],
    resolvConf: "",
    node: { hostIPs: () => [] } as unknown as PodEnvironmentOptions["node"],
    events: { record: (_, { reason, message }) => void recorded.push(`${reason} ${message}`) },
    warnNode: (reason, message) => void recorded.push(`${reason} ${message}`),
  };
  const environment = new PodEnvironment(options as PodEnvironmentOptions);
  const pod: Pod = {
    metadata: { name: "web", namespace: "shop", uid: "u" },
    spec: { containers: [{ name: "c", image: "i" }], dnsPolicy: "ClusterFirst" },
  };
  await environment.dnsConfig(pod);
  const text =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
  assert.deepEqual(recorded, [
    `MissingClusterDNS ${text}`,
    `MissingClusterDNS pod: "web_shop(u)". ${text}`,
  ]);
});
