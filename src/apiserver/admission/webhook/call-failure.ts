import { goQuote } from "#/std/go/go-quote.ts";

interface FailureOptions extends ErrorOptions {
  /** What the failure counts as; default 503. */
  readonly code?: number;
}

/** A webhook could not be asked or gave no usable answer: what the failure policy is about. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly code: number;

  constructor(webhook: string, reason: string, options: FailureOptions = {}) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, options);
    this.code = options.code ?? 503;
  }
}
