/** Why a plugin refuses a pod, on one node or altogether. */
export interface Rejection {
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** Whether removing other pods might help; if not, preemption doesn't look at the node. */
  readonly resolvable: boolean;
  /** The plugin waits for something of its own, so its next event retries the pod without backoff. */
  readonly pending?: boolean;
}

/** A refusal that preemption might resolve. */
export const reject = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  plugin,
  reasons,
  resolvable: true,
});

/** A refusal that no preemption resolves. */
export const rejectForGood = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  plugin,
  reasons,
  resolvable: false,
});

/** The reasons as one text. */
export const rejectionText = ({ reasons }: Rejection): string => reasons.join(", ");

/** Whether what a plugin answered is a refusal. */
export function isRejection(answer: object | undefined): answer is Rejection {
  return answer !== undefined && "reasons" in answer;
}
