/** Why a container could not be started: its waiting reason and message in the pod's status. */
export class StartError extends Error {
  override readonly name = "StartError";
  /** `ErrImagePull`, `CreateContainerConfigError`, `CrashLoopBackOff`… */
  readonly reason: string;
  /** When to try again, if known: the end of a back-off. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options: { retryAfterMs?: number } = {}) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
