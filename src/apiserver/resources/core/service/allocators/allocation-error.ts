/** Why something could not be had; the message is upstream's and reaches clients. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
  /** Nothing is left; upstream tells this apart from a wrong request. */
  readonly isFull: boolean;

  constructor(message: string, isFull = false) {
    super(message);
    this.isFull = isFull;
  }
}

/** What a search in a full range ends with. */
export const rangeFull = (): AllocationError => new AllocationError("range is full", true);
