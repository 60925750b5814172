import { daemonSets, deployments, statefulSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { jobs } from "#/api/batch/v1.ts";
import { leases } from "#/api/coordination/v1.ts";
import { configMaps, namespaces, nodes, pods, services } from "#/api/core/v1.ts";
import { podDisruptionBudgets } from "#/api/policy/v1.ts";
import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import { Client } from "#/client/client.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { controllerFlags } from "#/controllers/base/controller-flags.ts";
import { genericFlags } from "#/controllers/base/generic-flags.ts";
import { controllerEntries } from "#/controllers/index.ts";
import { selectControllers } from "#/controllers/select-controllers.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { type Cluster, directClient, scheduler } from "../../simulation/components.ts";
import { Dice } from "../../simulation/dice.ts";
import { Faults } from "../../simulation/faults.ts";
import { SimulatedNode } from "../../simulation/node.ts";
import { runLabel } from "../../simulation/pod-run.ts";
import { Trace } from "../../simulation/trace.ts";
import { untilIdle } from "../../simulation/turns.ts";
import { type Area, forgetHistory } from "./heap.ts";

/** Time in which events and back-offs expire (ms). */
const expiryMs = 2 * 60 * 60_000;
/** Limit of the time until something happens (ms). */
const patienceMs = 30 * 60_000;

/** Controllers and scheduler with a node: workloads come and go with their namespace and a second node. */
export async function openControlPlane(): Promise<Area> {
  const clock = new FakeClock();
  const storage = new MemoryStorage({ clock, historyLimit: 50 });
  const without = "--disable-admission-plugins=ServiceAccount";
  const api = await startAdmittingServer([without], { clock, storage });
  const stop = new AbortController();
  let activity = 0;
  const observe = () => {
    activity++;
    return { [Symbol.dispose]: () => undefined };
  };
  const faults = new Faults(new Dice(1, "faults"));
  const openWatches = new Set<AbortController>();
  const cluster: Cluster = { api, clock, faults, openWatches, observe, onUnknown: () => undefined };
  const client = directClient(api.handler, clock);
  for (const name of ["default", "kube-system", "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} });
  }
  const managed = runAllControllers(api.handler, clock, stop.signal);
  const scheduling = scheduler(cluster, new Dice(1, "scheduler"));
  scheduling.start();
  const nodeOf = (name: string) =>
    new SimulatedNode({ name, client, clock, dice: new Dice(1, name), trace: new Trace(clock) });
  const steady = nodeOf("steady");
  steady.start();
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.advance(Math.min(stepMs, left));
      await untilIdle(() => activity);
    }
  };
  const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    for (let ms = 0; !(await condition()); ms += stepMs) {
      if (ms > patienceMs) throw new Error(`waited in vain: ${what}`);
      await advance(stepMs);
    }
  };
  await advance(20_000);
  return {
    cycle: async (n) => {
      const namespace = `week-${n}`;
      const node = nodeOf(`node-${n}`);
      node.start();
      await client.create(namespaces, { metadata: { name: namespace }, spec: {} });
      for (const [resource, object] of workloads(namespace)) await client.create(resource, object);
      await until("the Pods have started", async () => {
        const { items } = await client.list(pods, { namespace });
        return items.filter(({ status }) => status?.phase === "Running").length >= 4;
      });
      await client.delete(namespaces, { name: namespace });
      await until("the namespace is gone", async () => {
        return !(await client.list(namespaces)).items.some(
          ({ metadata }) => metadata.name === namespace,
        );
      });
      node.stop();
      await client.delete(nodes, { name: node.name });
      const fieldSelector = `metadata.name=${node.name}`;
      await client.deleteCollection(leases, { namespace: "kube-node-lease", fieldSelector });
      await advance(60_000);
    },
    settle: async () => {
      for (let ms = 0; ms < expiryMs; ms += 10 * stepMs) await clock.advance(10 * stepMs);
      forgetHistory(api.registry);
    },
    [Symbol.asyncDispose]: async () => {
      steady.stop();
      stop.abort();
      scheduling.kill();
      let isOver = false;
      const ended = Promise.all([managed, scheduling.ended]).finally(() => {
        isOver = true;
      });
      while (!isOver) await clock.advance(stepMs);
      await ended;
      await api[Symbol.asyncDispose]();
    },
  };
}

/** The clock moves by this (ms), then all work is done. */
const stepMs = 1_000;

/** All controllers that run by default. */
function runAllControllers(
  handler: Parameters<typeof directClient>[0],
  clock: FakeClock,
  signal: AbortSignal,
): Promise<void> {
  const { values: flags } = parseFlags({ ...controllerFlags, ...genericFlags }, []);
  const options = { flags, enabled: () => true };
  const controllers = selectControllers(controllerEntries, options).map(
    ({ controller }) => controller,
  );
  const clientFor = (name: string) => {
    const user = { name, groups: ["system:masters", "system:authenticated"] };
    return new Client(new InProcessTransport(handler, { user, freeze: true, clock }), { clock });
  };
  const client = clientFor("kube-controller-manager");
  return runControllers(controllers, { client, clientFor, options, clock }, signal);
}

function workloads(namespace: string): (readonly [Resource, object])[] {
  const metadata = { namespace, name: "app" };
  const labels = { app: namespace };
  const selector = { matchLabels: labels };
  const containers = [{ name: "main", image: "main" }];
  const spec = { terminationGracePeriodSeconds: 1, containers };
  const template = { metadata: { labels }, spec };
  const job = {
    metadata: { labels: { [runLabel]: "5" } },
    spec: { ...spec, restartPolicy: "Never" },
  };
  const list: (readonly [object, object])[] = [
    [configMaps, { metadata, data: { key: "value" } }],
    [services, { metadata, spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] } }],
    [podDisruptionBudgets, { metadata, spec: { minAvailable: 1, selector } }],
    [deployments, { metadata, spec: { replicas: 1, selector, template } }],
    [statefulSets, { metadata, spec: { replicas: 1, serviceName: "app", selector, template } }],
    [daemonSets, { metadata, spec: { selector, template } }],
    [jobs, { metadata, spec: { template: job } }],
  ];
  return list as unknown as (readonly [Resource, object])[];
}
