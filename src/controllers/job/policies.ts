/** Upstream: pkg/controller/job/pod_failure_policy.go, pkg/controller/job/success_policy.go. */
import type {
  Job,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "#/api/batch/v1.ts";
import type { ContainerStatus, Pod } from "#/api/core/v1.ts";
import { parseIndexes } from "./indexes.ts";

/** The decision of a Job's failure policy on a failed Pod. */
interface FailureVerdict {
  /** Whether the failure counts towards a limit. */
  readonly counts: boolean;
  readonly action?: string;
  /** Why the whole Job fails, if it does. */
  readonly message?: string;
}

/** Finds the first matching rule for a failed Pod. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const met = metBy(rule, pod);
    if (met === undefined) continue;
    const { action } = rule;
    if (action === "Ignore") return { counts: false, action };
    if (action === "FailIndex" || action === "Count") return { counts: true, action };
    if (action === "FailJob") {
      const message = `${met} matching ${action} rule at index ${index}`;
      return { counts: true, action, message };
    }
  }
  return { counts: true };
}

/** How a Pod matches a rule, as text; undefined if it doesn't. */
function metBy(rule: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  const { onExitCodes, onPodConditions } = rule;
  if (onExitCodes) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const found = [...containerStatuses, ...initContainerStatuses].find((status) =>
      hasExitCode(status, onExitCodes),
    );
    const code = found?.state?.terminated?.exitCode;
    return found && `Container ${found.name} for pod ${name} failed with exit code ${code}`;
  }
  const condition = (pod.status?.conditions ?? []).find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition && `Pod ${name} has condition ${condition.type}`;
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode;
  if (!code || (containerName !== undefined && containerName !== name)) return false;
  return operator === "In" ? values.includes(code) : operator === "NotIn" && !values.includes(code);
}

/** The message of the first rule of a Job's success policy that is met. */
export function judgeSuccess({ spec }: Job, succeeded: ReadonlySet<number>): string | undefined {
  if (succeeded.size === 0) return undefined;
  const at = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && succeeded.size >= succeededCount;
    }
    const required = parseIndexes(succeededIndexes, spec.completions ?? 0);
    const met = [...required].filter((index) => succeeded.has(index)).length;
    const isEnough = succeededCount !== undefined && met >= succeededCount;
    return required.size > 0 && (met === required.size || isEnough);
  });
  return at < 0 ? undefined : `Matched rules at index ${at}`;
}
