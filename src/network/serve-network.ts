import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers.ts";
import type { Clock } from "#/std/clock.ts";
import type { Logger } from "#/std/log.ts";
import { networkNode } from "./network-node.ts";
import type { PodNetwork } from "./pod-network.ts";

/** Changes within this time are taken together. */
const settleMs = 20;
/** When to try again after a failure, and to look again at what others may have changed. */
const retryMs = 2000;
const resyncMs = 60_000;

export interface NetworkOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps the pod network in step with the nodes until the signal aborts. */
export async function serveNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { client, nodeName, network, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const informer = informers.informer(nodes, { transform: slim });
  let appliedKey = "";
  let appliedAt = 0;
  let changed = Promise.withResolvers<void>();
  const note = (): void => changed.resolve();
  informer.subscribe({ added: note, updated: note, deleted: note });
  signal.addEventListener("abort", note);
  await informer.synced;
  while (!signal.aborted) {
    changed = Promise.withResolvers<void>();
    const all = informer.store.list().flatMap((node) => networkNode(node) ?? []);
    const self = all.find(({ name }) => name === nodeName);
    const key = JSON.stringify(all);
    const isDue = key !== appliedKey || clock.monotonicMs() - appliedAt >= resyncMs;
    let waitMs = resyncMs;
    try {
      if (self && isDue) {
        await network.apply(self, all);
        appliedKey = key;
        appliedAt = clock.monotonicMs();
      }
    } catch (error) {
      log.error(error, "setting up the pod network failed");
      appliedKey = "";
      waitMs = retryMs;
    }
    await changedOr(changed.promise, waitMs, clock);
    await clock.sleep(settleMs, signal).catch(() => undefined);
  }
}

/** Nodes report themselves all the time; only these parts of them matter here. */
function slim({ status, ...node }: Node): Node {
  const metadata = { ...node.metadata, managedFields: [], annotations: {} };
  return { ...node, metadata, status: { addresses: status?.addresses ?? [] } };
}

async function changedOr(changed: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(ms, resolve);
  await Promise.race([changed, promise]);
}
