import type { Node } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { NodeAccess } from "./pod-services.ts";

interface NodeRecordOptions {
  /** An informer of this node alone. */
  readonly informer: Pick<Informer<Node>, "store">;
  /** The node as it is registered, without status. */
  readonly initial: Node;
  /** At most one per family, the primary family first. */
  readonly ips: readonly string[];
}

/** The current Node object of this node. */
export class NodeRecord implements NodeAccess {
  readonly name: string;
  readonly initial: Node;
  readonly #store: Informer<Node>["store"];
  readonly #ips: readonly string[];
  #written: Node | undefined;

  constructor({ informer, initial, ips }: NodeRecordOptions) {
    this.name = initial.metadata.name ?? "";
    this.initial = initial;
    this.#store = informer.store;
    this.#ips = ips;
  }

  node(): Node {
    return this.find() ?? this.initial;
  }

  /** The node in the API server; undefined before it is registered. */
  find(): Node | undefined {
    return this.#store.get(undefined, this.name) ?? this.#written;
  }

  hostIPs(): readonly string[] {
    return this.#ips;
  }

  /** Stores the node of the response to the last write: the informer may be behind it, or not started yet. */
  setWritten(node: Node): void {
    this.#written = node;
  }
}
