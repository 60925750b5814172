import type { Node, Pod } from "#/api/core/v1.ts";
import { isTerminal, nameOf } from "../pods.ts";
import { staleMs, type World } from "../world.ts";
import type { Property } from "./property.ts";

/** Name of the time of the last binding to a node whose outcome the scheduler does not know. */
export const unknownBinding = (node: string): string => `unknown binding ${node}`;

/** A Pod is bound once, to one node that has room for it. */
export const bindingsFit: Property = {
  name: "a Pod is bound once, to a node with room",
  check({ resource, now, old }, world) {
    if (resource !== "pods" || !now) return undefined;
    const [pod, before] = [now as Pod, old as Pod | undefined];
    const node = pod.spec?.nodeName;
    const previous = before?.spec?.nodeName;
    if (previous === node) return undefined;
    if (previous) return `${nameOf(pod)} went from ${previous} to ${node}`;
    if (!node) return undefined;
    // A binding without an answer is known to the scheduler once its watch has caught up.
    const since = world.clock.monotonicMs() - world.lastChangeMs(unknownBinding(node));
    return since < staleMs ? undefined : checkRoom(node, world);
  },
};

function checkRoom(name: string, world: World): string | undefined {
  const node = world.find<Node>("nodes", name) ?? world.find<Node>("minions", name);
  const { cpu = "0", pods: most = "0" } = node?.status?.allocatable ?? {};
  const here = world
    .list<Pod>("pods")
    .filter((pod) => pod.spec?.nodeName === name && !isTerminal(pod));
  const asked = here.reduce((sum, pod) => sum + askedMillis(pod), 0);
  if (node && asked > Number(cpu) * 1000) return `${name}: Pods ask for ${asked}m of ${cpu} cores`;
  if (node && here.length > Number(most)) return `${name}: ${here.length} Pods of ${most}`;
  return undefined;
}

/** All containers of the simulation request millicores. */
function askedMillis({ spec }: Pod): number {
  const texts = spec?.containers.map(({ resources }) => resources?.requests?.["cpu"] ?? "0m") ?? [];
  return texts.reduce((sum, text) => sum + Number(text.replace(/m$/, "")), 0);
}
