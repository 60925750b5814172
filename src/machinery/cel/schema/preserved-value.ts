import { deepEqual } from "../../objects/deep-equal.ts";
import { type CelType, opaque } from "../type/cel-type.ts";
import type { CelFault } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelValue } from "../value/cel-value.ts";

const unknownType = opaque("unknown");

/**
 * Data of unknown type, kept by x-kubernetes-preserve-unknown-fields: only equality is supported.
 */
export class PreservedValue extends CelObject {
  override readonly type: CelType = unknownType;
  readonly #data: unknown;

  constructor(data: unknown) {
    super();
    this.#data = data;
  }

  override equals(other: CelValue): boolean | CelFault {
    return other instanceof PreservedValue && deepEqual(this.#data, other.#data);
  }
}
