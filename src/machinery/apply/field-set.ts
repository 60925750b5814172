import { type PathElement, sortElements } from "./path-element.ts";

/** A node of a FieldSet: whether the field itself is in the set, and which fields below it are. */
export interface FieldNode {
  readonly member: boolean;
  /** Invariant: not empty. */
  readonly children: FieldSet | undefined;
  /** It has very many fields below it, and is not cached. */
  readonly isLarge?: true;
}

/** A field that is in a set, with none below it. */
export const memberNode: FieldNode = { member: true, children: undefined };

/**
 * A set of fields of an object, as a tree of path elements. Immutable. Operations share nodes, and
 * return the same instance if nothing changes, so callers can compare by identity.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go.
 */
export class FieldSet {
  readonly nodes: ReadonlyMap<PathElement, FieldNode>;

  constructor(nodes: ReadonlyMap<PathElement, FieldNode>) {
    this.nodes = nodes;
  }

  /** The set of these paths. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    return paths.reduce((set, path) => set.union(singlePath(path)), emptyFieldSet);
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0;
  }

  has(path: readonly PathElement[]): boolean {
    let set: FieldSet | undefined = this;
    let node: FieldNode | undefined;
    for (const element of path) {
      node = set?.nodes.get(element);
      set = node?.children;
    }
    return node?.member ?? false;
  }

  /** The fields in either set. */
  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    let nodes: Map<PathElement, FieldNode> | undefined;
    for (const [element, added] of other.nodes) {
      const present = this.nodes.get(element);
      const joined = present === undefined ? added : joinNodes(present, added);
      if (joined === present) continue;
      nodes ??= new Map(this.nodes);
      nodes.set(element, joined);
    }
    return nodes === undefined ? this : new FieldSet(nodes);
  }

  /** The fields in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (this === other) return this;
    return this.#map((node, element) => {
      const peer = other.nodes.get(element);
      if (peer === undefined) return undefined;
      const children = peer.children && node.children?.intersection(peer.children);
      return fieldNode(node.member && peer.member, children);
    });
  }

  /**
   * The fields in this set and not in the other. A field and the fields below it are removed
   * independently.
   */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#map((node, element) => {
      const peer = other.nodes.get(element);
      if (peer === undefined) return node;
      const children = peer.children ? node.children?.difference(peer.children) : node.children;
      return sameNode(node, fieldNode(node.member && !peer.member, children));
    });
  }

  /** Like difference, but a field in the other set also removes all fields below it. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#map((node, element) => {
      const peer = other.nodes.get(element);
      if (peer === undefined) return node;
      if (peer.member) return undefined;
      const children = peer.children && node.children?.recursiveDifference(peer.children);
      return sameNode(node, fieldNode(node.member, children));
    });
  }

  /** The set with every node replaced by the function's result; undefined drops the node. */
  #map(change: (node: FieldNode, element: PathElement) => FieldNode | undefined): FieldSet {
    let nodes: Map<PathElement, FieldNode> | undefined;
    let same = 0;
    for (const [element, node] of this.nodes) {
      const next = change(node, element);
      if (nodes === undefined) {
        if (next === node) {
          same++;
          continue;
        }
        nodes = firstNodes(this.nodes, same);
      }
      if (next !== undefined) nodes.set(element, next);
    }
    if (nodes === undefined) return this;
    return nodes.size === 0 ? emptyFieldSet : new FieldSet(nodes);
  }

  /** Every path in the set: the fields of a level in order, then the fields below each of them. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    const elements = this.sortedElements();
    for (const element of elements) {
      if (this.nodes.get(element)?.member) yield [...prefix, element];
    }
    for (const element of elements) {
      const children = this.nodes.get(element)?.children;
      if (children) yield* children.paths([...prefix, element]);
    }
  }

  /** The elements of this level in the order in which they are written. */
  sortedElements(): PathElement[] {
    return sortElements(this.nodes.keys());
  }
}

function firstNodes(
  nodes: ReadonlyMap<PathElement, FieldNode>,
  count: number,
): Map<PathElement, FieldNode> {
  const first = new Map<PathElement, FieldNode>();
  for (const [element, node] of nodes) {
    if (first.size === count) break;
    first.set(element, node);
  }
  return first;
}

/** The set of no fields. */
export const emptyFieldSet: FieldSet = new FieldSet(new Map());

/** A node; undefined if it would be empty. */
export function fieldNode(member: boolean, children: FieldSet | undefined): FieldNode | undefined {
  if (children === undefined || children.isEmpty) return member ? memberNode : undefined;
  return { member, children };
}

/** The union of two nodes. */
function joinNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b) return a;
  const children =
    a.children && b.children ? a.children.union(b.children) : (a.children ?? b.children);
  return sameNode(a, { member: a.member || b.member, children }) ?? a;
}

/** The old node if the new one is equal. */
function sameNode(old: FieldNode, next: FieldNode | undefined): FieldNode | undefined {
  return next?.member === old.member && next.children === old.children ? old : next;
}

function singlePath(path: readonly PathElement[]): FieldSet {
  let node = memberNode;
  for (const element of path.slice(1).reverse()) {
    node = { member: false, children: new FieldSet(new Map([[element, node]])) };
  }
  return path[0] === undefined ? emptyFieldSet : new FieldSet(new Map([[path[0], node]]));
}
