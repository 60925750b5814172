/** A span that an application in a Pod has reported of its own work. */
export interface AppSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** internal, server, client, producer, consumer or unspecified. */
  readonly kind: string;
  /** metav1.MicroTime. */
  readonly from: string;
  readonly to: string;
  /** The service that the application calls itself. */
  readonly service: string;
  readonly status: "unset" | "ok" | "error";
  readonly attributes: Readonly<Record<string, string>>;
}
