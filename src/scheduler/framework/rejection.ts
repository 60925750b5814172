/** Why a plugin rejects a pod, on one node or on all. */
export interface Rejection {
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** True if evicting other pods may help; if not, preemption skips the node. */
  readonly resolvable: boolean;
  /** True if the plugin waits for an event of its own; that event retries the pod without backoff. */
  readonly pending?: boolean;
}

/** A rejection that preemption may resolve. */
export const reject = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  plugin,
  reasons,
  resolvable: true,
});

/** A rejection that no preemption resolves. */
export const rejectForGood = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  plugin,
  reasons,
  resolvable: false,
});

/** The reasons as one text. */
export const rejectionText = ({ reasons }: Rejection): string => reasons.join(", ");

/** True if the result of a plugin is a rejection. */
export function isRejection(answer: object | undefined): answer is Rejection {
  return answer !== undefined && "reasons" in answer;
}
