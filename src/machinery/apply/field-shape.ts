import type { FieldNode } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** Limit of cached steps (count); above it the cache is cleared. */
const rememberedSteps = 8192;

/**
 * The members of a field set as a path through a tree: the same sequence of members leads to the
 * same node. So objects with the same fields, such as the pods of a Deployment, share one set, and
 * everything derived from it is computed once.
 */
export class FieldShape {
  /** The node for exactly these members; created by the first lookup. */
  node: FieldNode | undefined;
  readonly #tree: { steps: number };
  readonly #before: FieldShape | undefined;
  readonly #element: PathElement;
  readonly #member: FieldNode | undefined;
  readonly #next = new Map<PathElement, Map<FieldNode, FieldShape>>();

  constructor(
    tree: { steps: number },
    before?: FieldShape,
    element: PathElement = "",
    member?: FieldNode,
  ) {
    this.#tree = tree;
    this.#before = before;
    this.#element = element;
    this.#member = member;
  }

  /** The shape with one more member. */
  with(element: PathElement, member: FieldNode): FieldShape {
    let byMember = this.#next.get(element);
    if (!byMember) {
      byMember = new Map();
      this.#next.set(element, byMember);
    }
    let next = byMember.get(member);
    if (!next) {
      next = new FieldShape(this.#tree, this, element, member);
      byMember.set(member, next);
      this.#tree.steps++;
    }
    return next;
  }

  /** The members, in their order. */
  members(): Map<PathElement, FieldNode> {
    return new Map(this.steps());
  }

  /** Each member as it was added; an element may occur several times. */
  steps(): (readonly [PathElement, FieldNode])[] {
    const steps: (readonly [PathElement, FieldNode])[] = [];
    // Not recursive: an object can have more members than the stack has room for.
    for (let shape: FieldShape | undefined = this; shape; shape = shape.#before) {
      if (shape.#member) steps.push([shape.#element, shape.#member]);
    }
    return steps.reverse();
  }
}

/** The root of the tree of shapes. */
export class FieldShapes {
  #tree = { steps: 0 };
  #root = new FieldShape(this.#tree);

  /** The shape without members. */
  get none(): FieldShape {
    if (this.#tree.steps > rememberedSteps) {
      this.#tree = { steps: 0 };
      this.#root = new FieldShape(this.#tree);
    }
    return this.#root;
  }
}
