import type { Event, Node, Service } from "#/api/core/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import type { AwsNames } from "./aws-names.ts";
import {
  type CloudCase,
  isPeriodic,
  newNodeObject,
  nodeObject,
  type Step,
  serviceObject,
} from "./cloud-case.ts";
import { hasReached, nodeOutcome } from "./node-goals.ts";
import type { RecordedCall, RecordingProxy } from "./recording-proxy.ts";

/** What API clients see at the end of a case. */
export interface Outcome {
  readonly services: readonly object[];
  /** Of cases with other controllers than that of Services. */
  readonly nodes?: readonly object[];
  /** "web Warning SyncLoadBalancerFailed …", in the order of their first occurrence. */
  readonly events: readonly string[];
}

/** The program under test: upstream's or ours, as a process or in this one. */
export interface Program {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface Stage {
  readonly api: TestApiServer;
  readonly names: AwsNames;
  readonly program: Program;
  /** Faults are part of recorded answers: a replay does not make them. */
  readonly proxy: Pick<RecordingProxy, "interruptAfter"> & Partial<Pick<RecordingProxy, "fail">>;
  /** Calls EC2 itself, as an operator would. */
  readonly callEc2: (action: string, params: Readonly<Record<string, string>>) => Promise<void>;
  /** The calls so far. */
  readonly calls: readonly RecordedCall[];
  /** Time (ms) without a call after which the program is done. */
  readonly quietMs: number;
}

const clusterName = "kubernetes";
const services = "/api/v1/namespaces/default/services";

/** Runs the steps of a case. */
export async function runCase(stage: Stage, test: CloudCase): Promise<Outcome> {
  await addServiceCidr(stage.api);
  for (const node of test.nodes ?? ["i-1", "i-2", "i-3"]) await addNode(stage, node, {});
  await stage.program.start();
  await untilQuiet(stage);
  for (const step of test.steps) await runStep(stage, step);
  return await readOutcome(stage, test);
}

async function runStep(stage: Stage, step: Step): Promise<void> {
  for (const fault of step.faults ?? []) stage.proxy.fail?.(fault);
  const before = await progress(stage, step);
  let killed: Promise<void> | undefined;
  if (step.killAfter) {
    const { call, nth } = step.killAfter;
    const { promise, resolve } = Promise.withResolvers<void>();
    killed = promise;
    stage.proxy.interruptAfter(call, nth, () => void stage.program.stop().then(resolve));
  }
  await change(stage, step);
  if (killed) {
    await killed;
    await stage.program.start();
  }
  await until(`${JSON.stringify(step).slice(0, 300)}`, () => reached(stage, step, before), {
    limitMs: 60_000,
  });
  await untilQuiet(stage);
}

async function change({ api, ...stage }: Stage, step: Step): Promise<void> {
  const send = async (method: string, url: string, body?: object, type = "application/json") => {
    const text = body === undefined ? undefined : stage.names.reveal(JSON.stringify(body));
    const sent = text === undefined ? undefined : Buffer.from(text);
    const answer = await api.call(method, url, sent, { headers: { "content-type": type } });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.text}`);
    return answer;
  };
  const merge = "application/merge-patch+json";
  const nodePath = (name: string) => `/api/v1/nodes/${stage.names.reveal(name)}`;
  if ("create" in step) {
    const object = serviceObject(step.create) as Service;
    const { name, uid } = (await send("POST", services, object)).json.metadata;
    stage.names.addService(clusterName, "default", name, uid);
  } else if ("patch" in step) {
    await send("PATCH", `${services}/${step.service ?? "web"}`, step.patch, merge);
  } else if ("remove" in step) {
    await send("DELETE", `${services}/${step.remove}`);
  } else if ("addNode" in step) {
    await addNode({ api, ...stage }, step.addNode, step.labels ?? {});
  } else if ("addNewNode" in step) {
    await createNode({ api, ...stage }, newNodeObject(step.addNewNode, step.node ?? {}));
  } else if ("patchNode" in step) {
    const url = nodePath(step.patchNode);
    await send("PATCH", "status" in step.with ? `${url}/status` : url, step.with, merge);
  } else if ("removeNode" in step) {
    await send("DELETE", nodePath(step.removeNode));
  } else if ("call" in step) {
    await stage.callEc2(step.call, step.params);
  } else {
    await stage.program.stop();
    await stage.program.start();
  }
}

export async function addServiceCidr(api: TestApiServer): Promise<void> {
  const path = "/apis/networking.k8s.io/v1/servicecidrs";
  const spec = { cidrs: ["10.96.0.0/16", "fd00:10:96::/112"] };
  const body = {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec,
  };
  const made = await api.call("POST", path, body);
  const status = {
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  };
  const set = await api.call("PUT", `${path}/kubernetes/status`, { ...made.json, status });
  if (set.status >= 300) throw new Error(set.text);
}

export async function addNode(
  stage: Pick<Stage, "api" | "names">,
  instance: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await createNode(stage, nodeObject(instance, labels));
}

async function createNode(
  { api, names }: Pick<Stage, "api" | "names">,
  object: object,
): Promise<void> {
  const { metadata, spec, status } = JSON.parse(names.reveal(JSON.stringify(object)));
  const node = { apiVersion: "v1", kind: "Node", metadata, spec };
  const made = await api.call("POST", "/api/v1/nodes", node);
  if (made.status >= 300) throw new Error(made.text);
  const body = { ...made.json, status };
  const set = await api.call("PUT", `/api/v1/nodes/${metadata.name}/status`, body);
  if (set.status >= 300) throw new Error(set.text);
}

const reasons: Readonly<Partial<Record<Step["until"], string>>> = {
  ensured: "EnsuredLoadBalancer",
  failed: "SyncLoadBalancerFailed",
  updated: "UpdatedLoadBalancer",
  removed: "DeletedLoadBalancer",
  ensuring: "EnsuringLoadBalancer",
};

async function reached(stage: Stage, step: Step, before: number): Promise<boolean> {
  const { until: goal } = step;
  if (goal === "idle") return true;
  if (goal === "deleted") {
    const { json } = await stage.api.call("GET", services);
    return json.items.length === 0;
  }
  if (reasons[goal] !== undefined) return (await progress(stage, step)) > before;
  return hasReached(goal, await listNodes(stage.api), before);
}

/** How many events of the step's kind there are, or nodes if it is about these. */
async function progress({ api }: Stage, { until: goal }: Step): Promise<number> {
  const wanted = reasons[goal];
  if (wanted === undefined) return (await listNodes(api)).length;
  const events = await listEvents(api);
  return events
    .filter(({ reason }) => reason === wanted)
    .reduce((sum, { count = 1 }) => sum + count, 0);
}

async function listNodes(api: TestApiServer): Promise<Node[]> {
  const { json } = await api.call("GET", "/api/v1/nodes");
  return json.items as Node[];
}

async function listEvents(api: TestApiServer): Promise<Event[]> {
  const { json } = await api.call("GET", "/api/v1/events");
  return json.items as Event[];
}

/** Waits until no call came for a time. */
async function untilQuiet({ calls, quietMs }: Stage): Promise<void> {
  let count = -1;
  let sinceMs = systemClock.monotonicMs();
  await until("the program is quiet", async () => {
    const nowMs = systemClock.monotonicMs();
    if (calls.length !== count) {
      count = calls.length;
      sinceMs = nowMs;
    }
    return nowMs - sinceMs >= quietMs;
  });
}

export async function readOutcome({ api, names }: Stage, test: CloudCase): Promise<Outcome> {
  const { json } = await api.call("GET", services);
  const found = (json.items as Service[]).map(({ metadata, spec, status }) => ({
    name: metadata?.name,
    finalizers: metadata?.finalizers ?? [],
    type: spec?.type,
    status,
  }));
  const events = await listEvents(api);
  const lines = events
    .toSorted((a, b) => Number(a.metadata?.resourceVersion) - Number(b.metadata?.resourceVersion))
    .map(({ involvedObject, type, reason, message }) =>
      withoutChance(names.hide(`${involvedObject?.name} ${type} ${reason} ${message}`)),
    );
  return {
    services: withoutTimes(found, names),
    ...(isPeriodic(test) ? { nodes: nodeOutcome(await listNodes(api), names) } : {}),
    events: [...new Set(lines)].toSorted(),
  };
}

/** Messages of routes name the uid of the Node, and a duration. */
const withoutChance = (line: string): string =>
  line
    .replace(/ route [0-9a-f-]{36} /, " route uid ")
    .replace(/ after [0-9.hmsµn]+: /, " after a time: ");

function withoutTimes(found: readonly object[], names: AwsNames): object[] {
  return JSON.parse(names.hide(JSON.stringify(found)), (name, value) =>
    name === "lastTransitionTime" ? undefined : value,
  );
}
