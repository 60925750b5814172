import { readFile } from "node:fs/promises";

/** The parts of V8's heap snapshots that are read here; nodes and edges are rows of numbers. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** Limit of the length of a path in a report (objects). */
const pathLength = 14;

/**
 * What is not searched: V8's table of equal strings, which keeps none; caches with a limit; back-offs and samples of
 * usage, which are dropped after a time that is too long for a test (both have tests of their own).
 */
const unsearched = new Set([
  "(Internalized strings)",
  "LruMap",
  "HpackDecoder",
  "BackoffTable",
  "CgroupUsage",
]);
/** Arrays of fixed sizes, by the names of their variables. */
const unsearchedVariables = new Set(["recentStrings"]);

/** Texts in memory that match, each with the objects that hold it: every table of a program, known or not. */
export async function findTexts(file: string, pattern: RegExp): Promise<Map<string, string>> {
  const heap = new Heap(JSON.parse(await readFile(file, "utf8")) as Snapshot);
  const found = new Map<string, string>();
  for (const { text, node } of heap.texts()) {
    for (const [match] of text.matchAll(pattern)) {
      if (!found.has(match)) found.set(match, heap.pathTo(node));
    }
  }
  return found;
}

class Heap {
  readonly #data: Snapshot;
  readonly #nodeSize: number;
  readonly #edgeSize: number;
  readonly #firstEdge: Uint32Array;
  /** The edge by which a node was first reached from the roots; 0 if it was not. */
  readonly #reachedBy: Uint32Array;
  readonly #parent: Uint32Array;

  constructor(data: Snapshot) {
    this.#data = data;
    const { node_fields, edge_fields } = data.snapshot.meta;
    this.#nodeSize = node_fields.length;
    this.#edgeSize = edge_fields.length;
    const count = data.nodes.length / this.#nodeSize;
    this.#firstEdge = new Uint32Array(count + 1);
    this.#reachedBy = new Uint32Array(count);
    this.#parent = new Uint32Array(count);
    const countField = node_fields.indexOf("edge_count");
    for (let node = 0; node < count; node++) {
      const edges = data.nodes[node * this.#nodeSize + countField] ?? 0;
      this.#firstEdge[node + 1] = (this.#firstEdge[node] ?? 0) + edges;
    }
    this.#walk();
  }

  /** Strings that are reached, and the names of reached properties. */
  *texts(): Generator<{ readonly text: string; readonly node: number }> {
    const { nodes, snapshot } = this.#data;
    const types = snapshot.meta.node_types[0];
    for (let node = 0; node < this.#parent.length; node++) {
      if (!this.#isReached(node)) continue;
      const type = types[nodes[node * this.#nodeSize] ?? 0] ?? "";
      if (type.includes("string")) {
        yield { text: this.#name(node), node };
      }
      const name = this.#edgeName(this.#reachedBy[node] ?? 0);
      if (name !== "") yield { text: name, node };
    }
  }

  /** The objects from a root to this one, the last ones of a long path. */
  pathTo(node: number): string {
    const parts: string[] = [];
    for (let at = node; at !== 0 && parts.length < pathLength; at = this.#parent[at] ?? 0) {
      const name = this.#name(at).slice(0, 40);
      parts.unshift(`${this.#edgeName(this.#reachedBy[at] ?? 0)}:${name}`);
    }
    return parts.join(" > ");
  }

  #walk(): void {
    const { edges, snapshot } = this.#data;
    const weak = snapshot.meta.edge_types[0].indexOf("weak");
    const queue = [0];
    for (let at = 0; at < queue.length; at++) {
      const from = queue[at] ?? 0;
      if (unsearched.has(this.#name(from))) continue;
      for (let edge = this.#firstEdge[from] ?? 0; edge < (this.#firstEdge[from + 1] ?? 0); edge++) {
        const to = (edges[edge * this.#edgeSize + 2] ?? 0) / this.#nodeSize;
        if (edges[edge * this.#edgeSize] === weak || to === 0 || this.#isReached(to)) continue;
        if (unsearchedVariables.has(this.#edgeName(edge))) continue;
        this.#reachedBy[to] = edge;
        this.#parent[to] = from;
        queue.push(to);
      }
    }
  }

  #name(node: number): string {
    const { nodes, strings } = this.#data;
    return strings[nodes[node * this.#nodeSize + 1] ?? 0] ?? "";
  }

  /** The first edge leads from the root to the first group of roots. */
  #isReached(node: number): boolean {
    return this.#reachedBy[node] !== 0 || this.#parent[node] !== 0;
  }

  #edgeName(edge: number): string {
    const { edges, strings, snapshot } = this.#data;
    const type = snapshot.meta.edge_types[0][edges[edge * this.#edgeSize] ?? 0] ?? "";
    if (type === "element" || type === "hidden") return "";
    return strings[edges[edge * this.#edgeSize + 1] ?? 0] ?? "";
  }
}
