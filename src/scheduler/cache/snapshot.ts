import type { NodeInfo } from "./node-info.ts";

/** Number of nodes that have an image, and its size. */
interface ImageSpread {
  readonly sizeBytes: number;
  readonly nodes: number;
}

/** Facts that save a snapshot a loop over all nodes. */
interface SnapshotClues {
  readonly spread?: (image: string) => ImageSpread | undefined;
  /** True if no pod on any node has affinity or anti-affinity terms. */
  readonly noAffinity?: boolean;
}

const nowhere: readonly NodeInfo[] = [];

/** The cluster as one cycle sees it: an immutable array of nodes, alternating between zones. */
export class Snapshot {
  readonly nodes: readonly NodeInfo[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #clues: SnapshotClues;
  #withAffinity: readonly NodeInfo[] | undefined;
  #withRequiredAntiAffinity: readonly NodeInfo[] | undefined;

  constructor(
    nodes: readonly NodeInfo[],
    positions: ReadonlyMap<string, number>,
    clues: SnapshotClues = {},
  ) {
    this.nodes = nodes;
    this.#positions = positions;
    this.#clues = clues;
  }

  /** A snapshot of just these nodes. */
  static of(nodes: readonly NodeInfo[]): Snapshot {
    return new Snapshot(nodes, new Map(nodes.map(({ name }, position) => [name, position])));
  }

  find(name: string): NodeInfo | undefined {
    const position = this.#positions.get(name);
    return position === undefined ? undefined : this.nodes[position];
  }

  /** Number of nodes that have an image, by one of its names. */
  imageSpread(image: string): ImageSpread | undefined {
    return this.#clues.spread?.(image);
  }

  /** Nodes with pods that have affinity or anti-affinity terms. */
  get nodesWithAffinity(): readonly NodeInfo[] {
    if (this.#clues.noAffinity) return nowhere;
    this.#withAffinity ??= this.nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0);
    return this.#withAffinity;
  }

  /** Nodes with pods that have required anti-affinity terms. */
  get nodesWithRequiredAntiAffinity(): readonly NodeInfo[] {
    if (this.#clues.noAffinity) return nowhere;
    this.#withRequiredAntiAffinity ??= this.nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    );
    return this.#withRequiredAntiAffinity;
  }
}
