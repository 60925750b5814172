/**
 * The result of an operation that has no value. It is a value itself: operators propagate it, and
 * the logical ones may absorb it.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/err.go.
 */
export class CelFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** No signature of a function accepts values of these types. */
export const noSuchOverload: CelFault = new CelFault("no such overload");

/** Evaluation was stopped because it cost too much. */
export class CostLimitExceeded extends Error {
  override readonly name = "CostLimitExceeded";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}
