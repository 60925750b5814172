import { goQuote } from "#/std/go-quote.ts";

/** A webhook could not be asked or gave no usable answer: what the failure policy is about. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(webhook: string, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, options);
  }
}
