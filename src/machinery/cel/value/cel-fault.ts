/**
 * What an operation yields that has no value. It is a value of its own: operators pass it on, and the logical ones may
 * absorb it.
 *
 * Upstream: cel-go/common/types/err.go.
 */
export class CelFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** No signature of a function takes values of these types. */
export const noSuchOverload: CelFault = new CelFault("no such overload");

/** Evaluation was given up because it cost too much. */
export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}
