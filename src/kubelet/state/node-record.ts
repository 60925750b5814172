import type { Node } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { compareVersions } from "#/client/resource-version.ts";
import { orAborted } from "#/std/async/aborted.ts";
import type { NodeAccess } from "./pod-services.ts";

interface NodeRecordOptions {
  /** An informer of this node alone. */
  readonly informer: Pick<Informer<Node>, "store" | "subscribe">;
  /** The node as it is registered, without status. */
  readonly initial: Node;
  /** At most one per family, the primary family first. */
  readonly ips: readonly string[];
}

/** The current Node object of this node. */
export class NodeRecord implements NodeAccess {
  readonly name: string;
  readonly initial: Node;
  readonly #informer: NodeRecordOptions["informer"];
  readonly #ips: readonly string[];
  #written: Node | undefined;

  constructor({ informer, initial, ips }: NodeRecordOptions) {
    this.name = initial.metadata.name ?? "";
    this.initial = initial;
    this.#informer = informer;
    this.#ips = ips;
  }

  node(): Node {
    return this.find() ?? this.initial;
  }

  /** The node in the API server, never older than the last write; undefined before it is registered. */
  find(): Node | undefined {
    const watched = this.#informer.store.get(undefined, this.name);
    const written = this.#written;
    if (!watched || !written) return watched ?? written;
    return isOlder(watched, written) ? written : watched;
  }

  /** Resolves when the node in the API server matches; rejects with the signal's reason when that aborts first. */
  async until(matches: (node: Node) => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      const found = this.find();
      if (found && matches(found)) resolve();
    };
    check();
    using _changes = this.#informer.subscribe({ added: check, updated: check });
    await orAborted(promise, signal);
  }

  hostIPs(): readonly string[] {
    return this.#ips;
  }

  /** Stores the node of the response to the last write: the informer may be behind it, or not started yet. */
  setWritten(node: Node): void {
    this.#written = node;
  }
}

function isOlder({ metadata: a }: Node, { metadata: b }: Node): boolean {
  return compareVersions(a.resourceVersion ?? "", b.resourceVersion ?? "") < 0;
}
