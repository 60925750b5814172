/** Why a container could not be started: the reason and message that it then waits with in the pod's status. */
export class StartError extends Error {
  override readonly name = "StartError";
  /** `ErrImagePull`, `CreateContainerConfigError`, `CrashLoopBackOff`… */
  readonly reason: string;
  /** When trying again makes sense, if known: the rest of a backoff. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options: { retryAfterMs?: number } = {}) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
