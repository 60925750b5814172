/** Upstream: pkg/kubelet/userns/userns_manager.go. */
import type { NamespaceOption } from "../cri/sandbox-messages.ts";
import type { RuntimeStatus } from "../node/runtime-health.ts";
import type { ObservedPod } from "../state/observed-pod.ts";

const defaultIdsPerPod = 65_536;
/** Limit of the number of pods with a user namespace. */
const maxPods = 1024;

/** Allocates ranges of host ids to pods with a user namespace of their own, none of them twice. */
export class UserNamespaces {
  readonly #idsPerPod: number;
  /** The index of the range by pod. */
  readonly #ranges = new Map<string, number>();

  constructor(idsPerPod = defaultIdsPerPod) {
    this.#idsPerPod = idsPerPod;
  }

  /** The mapping of a pod; undefined for one that shares the host's ids. */
  mapping(podUID: string, hostUsers: boolean | undefined): NamespaceOption["usernsOptions"] {
    if (hostUsers !== false) return undefined;
    const range = this.#ranges.get(podUID) ?? this.#firstFree();
    this.#ranges.set(podUID, range);
    const ids = [{ hostId: range * this.#idsPerPod, containerId: 0, length: this.#idsPerPod }];
    return { mode: "POD", uids: ids, gids: ids };
  }

  release(podUID: string): void {
    this.#ranges.delete(podUID);
  }

  /** Adopts the ranges of running pods. */
  adopt(pods: readonly ObservedPod[]): void {
    for (const { uid, sandboxes } of pods) {
      const first = sandboxes[0]?.firstHostId;
      if (first) this.#ranges.set(uid, Math.floor(first / this.#idsPerPod));
    }
  }

  /** The first free range; range 0 is the host's own. */
  #firstFree(): number {
    const taken = new Set(this.#ranges.values());
    for (let range = 1; range <= maxPods; range++) if (!taken.has(range)) return range;
    throw new Error("no free user namespace range");
  }
}

/** Why a handler of the runtime has no user namespaces, in upstream's words; undefined if it has. */
export function userNamespaceProblem(
  handler: string,
  handlers: RuntimeStatus["runtimeHandlers"],
): string | undefined {
  const found = handlers.find(({ name }) => name === handler);
  if (found?.features?.userNamespaces) return undefined;
  const who = handler === "" ? "runtime" : `RuntimeClass handler "${handler}"`;
  const problem = `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`;
  // Old runtimes have no list of handlers.
  if (found || handlers.length === 0) return problem;
  return `${problem}: the handler "${handler}" is not known`;
}
