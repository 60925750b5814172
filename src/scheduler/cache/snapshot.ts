import type { NodeInfo } from "./node-info.ts";

/** How an image is spread over the cluster. */
export interface ImageSpread {
  readonly sizeBytes: number;
  readonly nodes: number;
}

/** The cluster as one cycle sees it: an array of nodes that nobody changes, in turns of their zones. */
export class Snapshot {
  readonly nodes: readonly NodeInfo[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #spread: (image: string) => ImageSpread | undefined;
  #withAffinity: readonly NodeInfo[] | undefined;
  #withRequiredAntiAffinity: readonly NodeInfo[] | undefined;

  constructor(
    nodes: readonly NodeInfo[],
    positions: ReadonlyMap<string, number>,
    spread: (image: string) => ImageSpread | undefined = () => undefined,
  ) {
    this.nodes = nodes;
    this.#positions = positions;
    this.#spread = spread;
  }

  /** A snapshot of just these nodes. */
  static of(nodes: readonly NodeInfo[]): Snapshot {
    return new Snapshot(nodes, new Map(nodes.map(({ name }, position) => [name, position])));
  }

  find(name: string): NodeInfo | undefined {
    const position = this.#positions.get(name);
    return position === undefined ? undefined : this.nodes[position];
  }

  /** On how many nodes an image is, by one of its names. */
  imageSpread(image: string): ImageSpread | undefined {
    return this.#spread(image);
  }

  /** Nodes with pods that have a say on other pods' places. */
  get nodesWithAffinity(): readonly NodeInfo[] {
    this.#withAffinity ??= this.nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0);
    return this.#withAffinity;
  }

  /** Nodes with pods that must be apart from others. */
  get nodesWithRequiredAntiAffinity(): readonly NodeInfo[] {
    this.#withRequiredAntiAffinity ??= this.nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    );
    return this.#withRequiredAntiAffinity;
  }
}
