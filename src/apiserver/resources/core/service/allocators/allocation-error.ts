/** Why an allocation failed; the message is upstream's and is sent to clients. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
  /** The range is full; upstream reports it differently from an invalid request. */
  readonly isFull: boolean;

  constructor(message: string, isFull = false) {
    super(message);
    this.isFull = isFull;
  }
}

/** The error of an allocation in a full range. */
export const rangeFull = (): AllocationError => new AllocationError("range is full", true);
