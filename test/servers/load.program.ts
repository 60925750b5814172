/**
 * A load of writers, watchers and new connections, and a judge's material: run inside the network of a node, with LoadOptions in
 * JSON as its argument. Writes records to its output. Ends after a line on its input: with the state of the cluster.
 */
import { once } from "node:events";
import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type Answer, LoadApi } from "./load-api.ts";
import type { LoadOptions, LoadRecord, WriteRecord } from "./records.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as LoadOptions;
/** Limits of a request (ms): of a write, and of a read on a new connection. */
const writeMs = 15_000;
const freshMs = 1_500;
const freshEveryMs = 100;
/** Limit of the time in which watches and controllers must settle at the end (ms). */
const settleMs = 60_000;

const api = new LoadApi(options.server, options.pki);
const root = `/api/v1/namespaces/${options.namespace}`;
const maps = `${root}/configmaps`;
const sets = `/apis/apps/v1/namespaces/${options.namespace}/replicasets`;
const labelOf = "k8ts.test/load";
const selected = `labelSelector=${encodeURIComponent(`${labelOf}=${options.prefix}`)}`;
const stop = new AbortController();
const watchesStop = new AbortController();
const positions: number[] = [];
const now = (): number => systemClock.now();
const say = (record: LoadRecord): void => void process.stdout.write(`${JSON.stringify(record)}\n`);
// The rate of the load: nothing is waited for.
const pause = (ms: number): Promise<unknown> => systemClock.sleep(ms);

/** One writer: creates, changes and deletes an object after the other. A result that is not clear ends with the object. */
async function write(index: number, random: Random): Promise<void> {
  const agent = api.agent(true);
  for (let count = 0; !stop.signal.aborted; count++) {
    const name = `${options.prefix}-${index}-${count}`;
    const steps = 1 + randomInt(random, 4);
    const removes = random() < 0.5;
    for (let step = 0; step <= steps && !stop.signal.aborted; step++) {
      const value = `${name}:${step}:${randomInt(random, 1e9)}`;
      const isLast = step === steps && removes && step > 0;
      const operation = step === 0 ? "create" : isLast ? "delete" : "update";
      const done = await attempt(agent, operation, name, isLast ? "" : value);
      await pause(options.pauseMs);
      if (!done) break;
    }
  }
}

async function attempt(
  agent: ReturnType<LoadApi["agent"]>,
  operation: WriteRecord["operation"],
  name: string,
  value: string,
): Promise<boolean> {
  const sentAt = now();
  const metadata = { name, labels: { [labelOf]: options.prefix } };
  const body = operation === "delete" ? undefined : { metadata, data: { value } };
  const method = { create: "POST", update: "PUT", delete: "DELETE" }[operation];
  const path = operation === "create" ? maps : `${maps}/${name}`;
  const record = (
    kind: WriteRecord["kind"],
    rest: { readonly revision?: number; readonly error?: string },
  ): void => say({ kind, at: now(), sentAt, operation, name, value, revision: 0, ...rest });
  try {
    const answer = await api.send(agent, method, path, {
      timeoutMs: writeMs,
      ...(body ? { body } : {}),
    });
    if (answer.status < 300) {
      const revision = Number(answer.body.metadata?.resourceVersion ?? 0);
      record("acknowledged", { revision });
      return true;
    }
    // A server that fails says nothing about whether it has written.
    const isClear = answer.status < 500;
    record(isClear ? "refused" : "unknown", { error: `${answer.status} ${answer.body.message}` });
  } catch (error) {
    record("unknown", { error: (error as Error).message });
  }
  return false;
}

/** A watcher: begins again after the last revision that it has seen, however its connection ended. */
async function watch(watcher: number, from: number): Promise<void> {
  positions[watcher] = from;
  while (!watchesStop.signal.aborted) {
    const why = await watchOnce(watcher).catch((error: Error) => error.message);
    if (watchesStop.signal.aborted) return;
    say({ kind: "resumed", at: now(), watcher, why });
    await pause(50);
  }
}

async function watchOnce(watcher: number): Promise<string> {
  const agent = api.agent(false);
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${positions[watcher]}`;
  const path = `${maps}?${selected}&${query}`;
  for await (const { type, object } of api.watch(agent, path, watchesStop.signal)) {
    if (type === "ERROR") {
      const why = `${object.code} ${object.message}`;
      if (object.code === 410) {
        say({ kind: "gone", at: now(), watcher, why });
        watchesStop.abort();
      }
      return why;
    }
    const revision = Number(object.metadata.resourceVersion);
    const { name } = object.metadata;
    if (type !== "BOOKMARK") {
      const value = object.data?.["value"] ?? "";
      say({ kind: "event", at: now(), watcher, type: type as "ADDED", name, value, revision });
    }
    positions[watcher] = Math.max(positions[watcher] ?? 0, revision);
  }
  return "the connection has ended";
}

/** Reads on new connections, one after the other. */
async function connectAgain(): Promise<void> {
  while (!stop.signal.aborted) {
    const sentAt = now();
    const agent = api.agent(false);
    const error = await api
      .send(agent, "GET", "/api/v1/namespaces/default", { timeoutMs: freshMs })
      .then(({ status }) => (status === 200 ? "" : `status ${status}`))
      .catch((failure: Error) => failure.message);
    agent.destroy();
    say({ kind: "fresh", sentAt, at: now(), error });
    await pause(freshEveryMs);
  }
}

/** Makes ReplicaSets, whose Pods no node accepts: nothing but their controller changes their number. */
async function makeSets(random: Random): Promise<void> {
  const agent = api.agent(true);
  for (let count = 0; !stop.signal.aborted && options.setsMs > 0; count++) {
    const name = `${options.prefix}-${count}`;
    const labels = { [labelOf]: options.prefix, set: name };
    const replicas = 1 + randomInt(random, 16);
    const body = {
      metadata: { name, labels },
      spec: {
        replicas,
        selector: { matchLabels: { set: name } },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { "k8ts.test/no-node": "true" },
            containers: [{ name: "none", image: "k8ts.test/none:1" }],
          },
        },
      },
    };
    const sent = { body, timeoutMs: writeMs };
    const answer = await api.send(agent, "POST", sets, sent).catch(() => undefined);
    const uid = answer?.status === 201 ? answer.body.metadata?.uid : undefined;
    if (uid) say({ kind: "set", at: now(), uid, replicas });
    await pause(options.setsMs);
  }
}

/** Reports every Pod that is created for the ReplicaSets. */
async function watchPods(from: number): Promise<void> {
  let position = from;
  while (!watchesStop.signal.aborted) {
    const agent = api.agent(false);
    const query = `${selected}&watch=true&allowWatchBookmarks=true&resourceVersion=${position}`;
    try {
      const path = `${root}/pods?${query}`;
      for await (const { type, object } of api.watch(agent, path, watchesStop.signal)) {
        if (type === "ERROR") throw new Error(`${object.code} ${object.message}`);
        const { name, ownerReferences, resourceVersion } = object.metadata;
        const [owner] = ownerReferences ?? [];
        if (type === "ADDED" && owner) say({ kind: "pod", at: now(), name, owner: owner.uid });
        position = Math.max(position, Number(resourceVersion));
      }
    } catch {
      // It begins again.
    }
    await pause(50);
  }
}

/** Asks until there is an answer. */
async function certain(path: string): Promise<Answer> {
  const agent = api.agent(false);
  for (;;) {
    const answer = await api.send(agent, "GET", path, { timeoutMs: 5_000 }).catch(() => undefined);
    if (answer?.status === 200) return answer;
    await pause(100);
  }
}

/** The state at the end, once all Pods are there and all watches have reached it. */
async function settle(): Promise<void> {
  const endMs = now() + settleMs;
  const list = await certain(`${maps}?${selected}`);
  const revision = Number(list.body.metadata?.resourceVersion);
  const values = (list.body.items ?? []).map(
    ({ metadata, data }) => [metadata.name, data?.["value"] ?? ""] as const,
  );
  // One more event for each watch shows that it has seen all before it.
  await attempt(api.agent(false), "create", `${options.prefix}-end`, "end");
  let pods = new Map<string, number>();
  for (;;) {
    const [all, wanted] = [
      await certain(`${root}/pods?${selected}`),
      await certain(`${sets}?${selected}`),
    ];
    pods = new Map();
    for (const { metadata } of all.body.items ?? []) {
      const owner = metadata.ownerReferences?.[0]?.uid ?? "";
      pods.set(owner, (pods.get(owner) ?? 0) + 1);
    }
    const isComplete = (wanted.body.items ?? []).every(
      (set) =>
        pods.get(set.metadata.uid) === (set as { spec?: { replicas?: number } }).spec?.replicas,
    );
    const isSeen = positions.every((position) => position > revision);
    if ((isComplete && isSeen) || now() > endMs) break;
    await pause(200);
  }
  const counts = [...pods].map(([uid, count]) => ({ uid, pods: count }));
  say({ kind: "final", at: now(), values: Object.fromEntries(values), sets: counts });
}

const first = await certain(maps);
const from = Number(first.body.metadata?.resourceVersion);
const watching = [
  ...Array.from({ length: options.watchers }, (_, index) => watch(index, from)),
  watchPods(from),
];
const working = [
  ...Array.from({ length: options.writers }, (_, index) =>
    write(index, seededRandom(options.seed * 31 + index)),
  ),
  connectAgain(),
  makeSets(seededRandom(options.seed)),
];
await once(process.stdin, "data");
stop.abort();
await Promise.all(working);
await settle();
watchesStop.abort();
await Promise.all(watching);
process.stdin.destroy();
