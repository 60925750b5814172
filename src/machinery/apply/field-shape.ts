import type { FieldNode } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** So many steps are remembered; then it begins anew. */
const rememberedSteps = 8192;

/**
 * Members of a set of fields, one after the other, as a way through a tree: who goes the same way comes to the same place.
 * So the sets of objects that have the same fields, such as the pods of a deployment, are one set, and what was made of it
 * is made once.
 */
export class FieldShape {
  /** What stands for these members and no others; made by who comes here first. */
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
    const members = this.#before?.members() ?? new Map<PathElement, FieldNode>();
    if (this.#member) members.set(this.#element, this.#member);
    return members;
  }
}

/** Where ways begin. */
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
