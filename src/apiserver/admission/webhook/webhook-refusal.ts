import type { StatusError } from "#/machinery/meta/status-error.ts";

/** A webhook refused the request, as opposed to a failed call. */
export class WebhookRefusal extends Error {
  override readonly name = "WebhookRefusal";
  /** As the client sees it. */
  readonly refusal: StatusError;

  constructor(refusal: StatusError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}
