import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, pods } from "#/api/core/v1.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { Attributes } from "../registry/admission.ts";
import { AdmissionChain } from "./admission-chain.ts";
import { AdmissionMetrics } from "./base/admission-metrics.ts";
import {
  type AdmissionPlugin,
  admissionPlugin,
  type PluginServices,
} from "./base/admission-plugin.ts";

const attributes = (change: Partial<Attributes> = {}): Attributes => ({
  operation: "CREATE",
  resource: pods,
  subresource: "",
  kind: pods,
  namespace: "n",
  name: "a",
  object: { metadata: {} },
  oldObject: undefined,
  options: {},
  dryRun: false,
  user: { name: "u", groups: [] },
  warn: () => undefined,
  annotate: () => undefined,
  ...change,
});

const metrics = new Registry();
const clock = new FakeClock();
const services = {
  clock,
  metrics: new AdmissionMetrics(metrics, clock),
} as Partial<PluginServices> as PluginServices;

async function chainOf(...plugins: AdmissionPlugin[]): Promise<AdmissionChain> {
  const open = await Promise.all(
    plugins.map(async (scope) => ({
      name: scope.name,
      scope,
      hooks: await scope.open(services, undefined),
    })),
  );
  return new AdmissionChain(open, services);
}

test("AdmissionChain calls the plugins of a request's resource, in order", async () => {
  const calls: string[] = [];
  const called = (name: string, more: object = {}): AdmissionPlugin =>
    admissionPlugin({
      name,
      operations: ["CREATE"],
      mutate: () => void calls.push(name),
      ...more,
    });
  const chain = await chainOf(
    called("all"),
    called("pods", { on: pods }),
    called("maps", { on: configMaps }),
    called("status", { on: pods, subresources: ["status"] }),
    called("updates", { operations: ["UPDATE"] }),
  );
  assert.equal(chain.mutate(attributes()), undefined);
  assert.deepEqual(calls, ["all", "pods"]);
  calls.length = 0;
  assert.equal(chain.mutate(attributes({ subresource: "status" })), undefined);
  assert.deepEqual(calls, ["all", "status"]);
});

test("AdmissionChain waits for a plugin before it calls the next", async () => {
  const calls: string[] = [];
  const chain = await chainOf(
    admissionPlugin({
      name: "slow",
      operations: ["CREATE"],
      async validate() {
        await Promise.resolve();
        calls.push("slow");
      },
    }),
    admissionPlugin({
      name: "fast",
      operations: ["CREATE"],
      validate: () => void calls.push("fast"),
    }),
  );
  await chain.validate(attributes());
  assert.deepEqual(calls, ["slow", "fast"]);
});

test("AdmissionChain calls all plugins again if one requests it", async () => {
  const rounds: boolean[] = [];
  const chain = await chainOf(
    admissionPlugin({
      name: "first",
      operations: ["CREATE"],
      mutate: (_, __, round) => void rounds.push(round.isReinvocation),
    }),
    admissionPlugin({
      name: "second",
      operations: ["CREATE"],
      mutate(_, __, round) {
        round.reinvoke = true;
      },
    }),
  );
  chain.mutate(attributes());
  assert.deepEqual(rounds, [false, true]);
});

test("AdmissionChain records the duration of plugins, and refusals", async () => {
  const chain = await chainOf(
    admissionPlugin({
      name: "Slow",
      operations: ["DELETE"],
      mutate: () => clock.sleep(2_000),
      validate: () => Promise.reject(new Error("no")),
    }),
  );
  const mutated = chain.mutate(attributes({ operation: "DELETE" }));
  await clock.advance(2_000);
  await mutated;
  await assert.rejects(async () => chain.validate(attributes({ operation: "DELETE" })));
  const lines = [...metrics.expose()].join("").split("\n");
  const named = lines.filter((line) => line.includes('name="Slow"') && !line.includes("_bucket"));
  const series = "apiserver_admission_controller_admission_duration_seconds";
  const labels = (rejected: boolean, type: string) =>
    `{name="Slow",operation="DELETE",rejected="${rejected}",type="${type}"}`;
  assert.deepEqual(named, [
    `${series}_sum${labels(false, "admit")} 2`,
    `${series}_count${labels(false, "admit")} 1`,
    `${series}_sum${labels(true, "validate")} 0`,
    `${series}_count${labels(true, "validate")} 1`,
  ]);
  const step = "apiserver_admission_step_admission_duration_seconds_count";
  assert.ok(lines.includes(`${step}{operation="DELETE",rejected="true",type="validate"} 1`));
});
