import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { plugins } from "../plugins/index.ts";
import { effectiveConfiguration } from "./effective-configuration.ts";
import { schedulerFlags } from "./flags.ts";
import { parseConfiguration, withDefaults } from "./load-configuration.ts";
import { validateConfiguration } from "./validate-configuration.ts";

const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
const argsOf = (text: string, plugin: string) =>
  parseConfiguration(header + text, plugins).profiles[0]?.pluginConfig.find(
    ({ name }) => name === plugin,
  )?.args;

test("withDefaults() sets upstream's defaults", () => {
  const { profiles, ...rest } = withDefaults(plugins);
  assert.deepEqual(rest, {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    parallelism: 16,
    leaderElection: {
      leaderElect: true,
      leaseDuration: "15s",
      renewDeadline: "10s",
      retryPeriod: "2s",
      resourceLock: "leases",
      resourceName: "kube-scheduler",
      resourceNamespace: "kube-system",
    },
    clientConnection: {
      kubeconfig: "",
      acceptContentTypes: "",
      contentType: "application/vnd.kubernetes.protobuf",
      qps: 50,
      burst: 100,
    },
    enableProfiling: true,
    enableContentionProfiling: true,
    percentageOfNodesToScore: 0,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
  });
  const [profile] = profiles;
  assert.equal(profile?.schedulerName, "default-scheduler");
  const configured = profile?.pluginConfig.map(({ name }) => name);
  assert.deepEqual(
    configured?.filter((name) => name !== "DynamicResources"),
    [
      "DefaultPreemption",
      "InterPodAffinity",
      "NodeAffinity",
      "NodeResourcesBalancedAllocation",
      "NodeResourcesFit",
      "PodTopologySpread",
      "VolumeBinding",
    ],
  );
});

test("parseConfiguration() sets the defaults of absent arguments", () => {
  const text = `
profiles:
  - pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy: {type: MostAllocated, resources: [{name: example.com/gpu}]}
`;
  const { scoringStrategy } = argsOf(text, "NodeResourcesFit") as Record<string, unknown>;
  assert.deepEqual(scoringStrategy, {
    type: "MostAllocated",
    resources: [{ name: "example.com/gpu", weight: 1 }],
  });
});

test("parseConfiguration() refuses other kinds", () => {
  assert.throws(
    () => parseConfiguration("apiVersion: v1\nkind: Pod\n", plugins),
    /no kind "Pod" is registered for version "v1" in scheme/,
  );
});

const profiles = (text: string) => `profiles:\n${text}`;
const args = (plugin: string, value: object) =>
  profiles(`- pluginConfig: [{name: ${plugin}, args: ${JSON.stringify(value)}}]`);

for (const { name, text, errors } of [
  { name: "accepts the defaults", text: "", errors: "" },
  {
    name: "checks numbers",
    text: "parallelism: 0\npercentageOfNodesToScore: 101\npodInitialBackoffSeconds: 0\npodMaxBackoffSeconds: -1\n",
    errors:
      "[parallelism: Invalid value: 0: should be an integer value greater than zero, percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100], podInitialBackoffSeconds: Invalid value: 0: must be greater than 0, podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to PodInitialBackoffSeconds]",
  },
  {
    name: "requires unique names of several profiles",
    text: profiles("- schedulerName: a\n- schedulerName: a\n- {}\n"),
    errors:
      "[profiles[1].schedulerName: Duplicate value: {}, profiles[2].schedulerName: Required value]",
  },
  {
    name: "checks leader election",
    text: "leaderElection: {leaseDuration: 5s}",
    errors:
      'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
  },
  {
    name: "checks scoring strategies",
    text: args("NodeResourcesFit", { scoringStrategy: { type: "Odd" } }),
    errors:
      'profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Odd": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  },
  {
    name: "checks shapes",
    text: args("NodeResourcesFit", {
      scoringStrategy: {
        type: "RequestedToCapacityRatio",
        requestedToCapacityRatio: {
          shape: [
            { utilization: 50, score: 0 },
            { utilization: 50, score: 11 },
          ],
        },
      },
    }),
    errors:
      "[profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: values must be sorted in increasing order, profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: 11: not in valid range [0, 10]]",
  },
  {
    name: "checks default constraints",
    text: args("PodTopologySpread", {
      defaultingType: "System",
      defaultConstraints: [{ maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "Odd" }],
    }),
    errors:
      '[profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty, profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Odd": supported values: "DoNotSchedule", "ScheduleAnyway"]',
  },
  {
    name: "checks preemption",
    text: args("DefaultPreemption", {
      minCandidateNodesPercentage: 0,
      minCandidateNodesAbsolute: 0,
    }),
    errors:
      "[profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]",
  },
  {
    name: "checks extenders",
    text: "extenders: [{urlPrefix: http://a, prioritizeVerb: p, bindVerb: b}, {urlPrefix: http://b, bindVerb: b, managedResources: [{name: cpu}]}]",
    errors:
      '[extenders[0].weight: Invalid value: 0: must have a positive weight applied to it, extenders[1].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name, extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind]',
  },
]) {
  test(`validateConfiguration() ${name}`, () => {
    const found = validateConfiguration(parseConfiguration(header + text, plugins), plugins);
    assert.equal(found.length === 0 ? "" : formatFieldErrors(found), errors);
  });
}

test("effectiveConfiguration() prefers flags to the file", async () => {
  const parsed = parseFlags(schedulerFlags, [
    "--kubeconfig=/x",
    "--kube-api-qps=7",
    "--leader-elect=false",
    "--leader-elect-lease-duration=1m",
  ]);
  const { clientConnection, leaderElection } = await effectiveConfiguration(parsed, plugins);
  assert.equal(clientConnection.kubeconfig, "/x");
  assert.equal(clientConnection.qps, 7);
  assert.equal(leaderElection.leaderElect, false);
  assert.equal(leaderElection.leaseDuration, "1m0s");
});
