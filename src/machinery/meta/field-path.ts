/**
 * The path of a field, such as spec.containers[0].image. A path is a link to its parent: creating
 * one costs one allocation, and it is rendered only when an error needs it.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/field/path.go.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  /** Name of a field; "" for a subscript. */
  readonly #name: string;
  readonly #subscript: string | number;

  constructor(parent: FieldPath | undefined, name: string, subscript: string | number) {
    this.#parent = parent;
    this.#name = name;
    this.#subscript = subscript;
  }

  /** A field of the object here. */
  child(name: string): FieldPath {
    return new FieldPath(this, name, "");
  }

  /** An item of the list here. */
  index(index: number): FieldPath {
    return new FieldPath(this, "", index);
  }

  /** A value of the map here. */
  key(key: string): FieldPath {
    return new FieldPath(this, "", key);
  }

  toString(): string {
    const here = this.#name === "" ? `[${this.#subscript}]` : this.#name;
    if (this.#parent === undefined) return here;
    return `${this.#parent.toString()}${this.#name === "" ? "" : "."}${here}`;
  }
}

/** The path of a field of the root object. */
export function fieldPath(name: string, ...more: readonly string[]): FieldPath {
  return more.reduce((path, next) => path.child(next), new FieldPath(undefined, name, ""));
}
