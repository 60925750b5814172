import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, pods } from "#/api/core/v1.ts";
import type { Attributes } from "./admission.ts";
import { AdmissionChain } from "./admission-chain.ts";
import { type AdmissionPlugin, admissionPlugin, type PluginServices } from "./admission-plugin.ts";

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

const services = {} as PluginServices;

async function chainOf(...plugins: AdmissionPlugin[]): Promise<AdmissionChain> {
  const open = await Promise.all(
    plugins.map(async (scope) => ({ scope, hooks: await scope.open(services, undefined) })),
  );
  return new AdmissionChain(open, services);
}

test("AdmissionChain asks the plugins that a request concerns, in order", async () => {
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

test("AdmissionChain waits for a plugin before it asks the next", async () => {
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

test("AdmissionChain asks everybody once more where one wants it", async () => {
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
