import assert from "node:assert/strict";
import { test } from "node:test";
import { type Service, services } from "#/api/core/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { defaultValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import type { CloudAction } from "../base/action.ts";
import type { CloudOptions } from "../base/cloud-options.ts";
import { cloudFlags } from "../base/flags.ts";
import type { LoadBalancers } from "../base/provider.ts";
import { driftController } from "./drift-controller.ts";

const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
const web: Service = {
  metadata: { name: "web", namespace: "default" },
  spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
};
const action = (call: string): CloudAction => ({ call, params: {}, of: "x" });
const open = action("ec2:AuthorizeSecurityGroupIngress");
const listen = action("elbv2:CreateListener");

/** A cloud in which the same plan is made until the test changes it. */
function cloudWith(
  plan: () => Promise<readonly CloudAction[]>,
): LoadBalancers & { checks: number } {
  const unused = () => Promise.reject(new Error("drift is only reported"));
  return {
    checks: 0,
    name: () => "web",
    find: unused,
    ensure: unused,
    updateNodes: unused,
    remove: unused,
    plan() {
      this.checks++;
      return plan();
    },
  };
}

async function site() {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startApiServer());
  await api.client().create(serviceCIDRs, network);
  await api.client().create(services, web);
  let planned: readonly CloudAction[] | Error = [];
  const cloud = cloudWith(async () => {
    if (planned instanceof Error) throw planned;
    return planned;
  });
  const clock = new FakeClock(systemClock.now());
  const options: CloudOptions = {
    provider: { name: "memory", hasClusterId: true, loadBalancers: cloud },
    flags: defaultValues(cloudFlags),
    enabled: () => false,
  };
  const run = stack.use(runControllersOn(api, [driftController], { options, clock }));
  await run.until("it has checked", () => cloud.checks === 1);
  const owned = stack.move();
  return {
    events: run.events,
    /** What the next check finds. */
    async find(next: readonly CloudAction[] | Error) {
      planned = next;
      const before = cloud.checks;
      await clock.advance(options.flags["drift-check-period"]);
      await run.until("it has checked again", () => cloud.checks > before);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const drift = (text: string) =>
  `Warning CloudDrift Differs in the cloud from what was made; it would need: ${text}`;

test("driftController reports what two checks find alike, once", async () => {
  await using at = await site();
  await at.find([open]);
  assert.deepEqual(at.events, []);
  await at.find([open, listen, listen]);
  assert.deepEqual(at.events, []);
  await at.find([open, listen, listen]);
  const text = "ec2:AuthorizeSecurityGroupIngress, elbv2:CreateListener (2 times)";
  assert.deepEqual(at.events, [drift(text)]);
  await at.find([open, listen, listen]);
  assert.equal(at.events.length, 1);
});

test("driftController reports drift again after it was gone, and none while the cloud can't be asked", async () => {
  await using at = await site();
  for (const next of [[open], [open], new Error("throttled"), [open]]) await at.find(next);
  assert.equal(at.events.length, 1);
  for (const next of [[], [], [open], [open]]) await at.find(next);
  assert.deepEqual(at.events, [drift(open.call), drift(open.call)]);
});
