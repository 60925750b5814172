import { CelFault } from "./cel-fault.ts";
import type { CelResult, CelValue } from "./cel-value.ts";

/** A value that may be absent. */
export class Optional {
  readonly value: CelValue | undefined;

  constructor(value?: CelValue) {
    this.value = value;
  }

  get hasValue(): boolean {
    return this.value !== undefined;
  }

  get(): CelResult {
    return this.value === undefined ? new CelFault("optional.none() dereference") : this.value;
  }
}

/** The empty optional. */
export const none: Optional = new Optional();
