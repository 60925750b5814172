import { goQuote } from "#/std/go/go-quote.ts";

interface FailureOptions extends ErrorOptions {
  /** Status code of the failure; default 503. */
  readonly code?: number;
}

/** A webhook could not be called or gave no usable response: the case of the failure policy. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly code: number;

  constructor(webhook: string, reason: string, options: FailureOptions = {}) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, options);
    this.code = options.code ?? 503;
  }
}
