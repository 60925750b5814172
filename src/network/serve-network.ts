import { type Node, nodes } from "#/api/core/v1.ts";
import { compareText } from "#/std/text/compare-text.ts";
import { NetworkKeeper, type NetworkOptions } from "./network-keeper.ts";
import { networkNode } from "./network-node.ts";
import { slimNode } from "./slim-node.ts";

/** Keeps the pod network in step with the Nodes until the signal aborts. */
export async function serveNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { informers, nodeName } = options;
  const informer = informers.informer(nodes, { transform: slimNode });
  const keeper = new NetworkKeeper(options, () => {
    const byAge = informer.store.list().toSorted((a, b) => compareText(ageOf(a), ageOf(b)));
    const all = byAge.flatMap((node) => networkNode(node) ?? []);
    const self = all.find(({ name }) => name === nodeName);
    return self && { self, all };
  });
  const note = (): void => keeper.wake();
  informer.subscribe({ added: note, updated: note, deleted: note });
  signal.addEventListener("abort", note);
  await informer.synced;
  await keeper.run(signal);
}

/** Sorts the oldest first. The API server sets the time, and names are unique. */
const ageOf = ({ metadata }: Node): string =>
  `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
