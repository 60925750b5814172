import type { StatusError } from "#/machinery/meta/status-error.ts";

/** A webhook refused the request. A failed call is another error. */
export class WebhookRefusal extends Error {
  override readonly name = "WebhookRefusal";
  /** As the client is to see it. */
  readonly refusal: StatusError;

  constructor(refusal: StatusError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
