import { type PathElement, sortElements } from "./path-element.ts";

/** A place in a FieldSet: whether the field is in the set itself, and which fields below it are. */
export interface FieldNode {
  readonly member: boolean;
  /** Invariant: not empty. */
  readonly children: FieldSet | undefined;
}

/** A field that is in a set, with none below it. */
export const memberNode: FieldNode = { member: true, children: undefined };

/**
 * A set of fields of an object, as a tree of path elements. Immutable; operations share what they can and give the very
 * set they were called on where it does not change, so that identity tells that nothing happened.
 *
 * Upstream: structured-merge-diff/v6/fieldpath/set.go.
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

  /** What is in either set. */
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

  /** What is in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (this === other) return this;
    return this.#map((node, element) => {
      const peer = other.nodes.get(element);
      if (peer === undefined) return undefined;
      const children = peer.children && node.children?.intersection(peer.children);
      return fieldNode(node.member && peer.member, children);
    });
  }

  /** What is in this set and not in the other. A field goes without those below it, and stays without them. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#map((node, element) => {
      const peer = other.nodes.get(element);
      if (peer === undefined) return node;
      const children = peer.children ? node.children?.difference(peer.children) : node.children;
      return sameNode(node, fieldNode(node.member && !peer.member, children));
    });
  }

  /** Like difference, but a field that is in the other set takes those below it with it. */
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

  /** The set with every node replaced by what the function makes of it; undefined drops it. */
  #map(change: (node: FieldNode, element: PathElement) => FieldNode | undefined): FieldSet {
    let changed = false;
    const nodes = new Map<PathElement, FieldNode>();
    for (const [element, node] of this.nodes) {
      const next = change(node, element);
      if (next !== node) changed = true;
      if (next !== undefined) nodes.set(element, next);
    }
    if (!changed) return this;
    return nodes.size === 0 ? emptyFieldSet : new FieldSet(nodes);
  }

  /** Every path in the set: the fields of a level in order, then what is below each of them. */
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

  /** The elements of this level in the order they are written. */
  sortedElements(): PathElement[] {
    return sortElements(this.nodes.keys());
  }
}

/** The set of no fields. */
export const emptyFieldSet: FieldSet = new FieldSet(new Map());

/** A node, or undefined if there is nothing in it. */
export function fieldNode(member: boolean, children: FieldSet | undefined): FieldNode | undefined {
  if (children === undefined || children.isEmpty) return member ? memberNode : undefined;
  return { member, children };
}

/** Both nodes in one. */
function joinNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b) return a;
  const children =
    a.children && b.children ? a.children.union(b.children) : (a.children ?? b.children);
  return sameNode(a, { member: a.member || b.member, children }) ?? a;
}

/** The old node where the new one is no different. */
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
