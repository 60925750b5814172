import type {
  Container,
  ContainerRestartRule,
  ContainerStatus,
  PodSpec,
  PodStatus,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import type { PodValidationOptions } from "../pod-spec/base/pod-gates.ts";
import { isSidecar } from "../pod-spec/base/visit-containers.ts";

/** Upstream: pkg/apis/core/validation/validation.go, pkg/api/v1/pod/util.go. */

interface Transition {
  readonly status: PodStatus;
  readonly before: PodStatus;
  readonly spec: PodSpec;
  readonly options: PodValidationOptions;
}

/** A terminated container may run again only if its restart policy allows it. */
export function validateTransitions(
  report: FieldReport,
  path: FieldPath,
  { status, before, spec, options }: Transition,
): void {
  const restarts = (containers: readonly Container[] = []) => {
    const byName = firstByKey(containers, ({ name }) => name);
    return (old: ContainerStatus) => mayRestart(spec, byName.get(old.name), old, options);
  };
  const sidecars = new Set(spec.initContainers?.filter(isSidecar).map(({ name }) => name));
  const isInit = ({ name }: ContainerStatus): boolean => sidecars.has(name);
  const check = (
    field: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
    allowed: (old: ContainerStatus) => boolean,
  ): void => {
    const nowByName = firstByKey(status[field] ?? [], ({ name }) => name);
    before[field]?.forEach((old, index) => {
      if (old.state?.terminated === undefined || allowed(old)) return;
      const now = nowByName.get(old.name);
      if (now === undefined || now.state?.terminated !== undefined) return;
      const detail = "may not be transitioned to non-terminated state";
      report.forbidden(path.child(field).index(index), "state", detail);
    });
  };
  const all =
    options.allowContainerRestartRules && options.allowRestartAllContainers && restartsAll(spec);
  if (!all) {
    check("containerStatuses", restarts(spec.containers));
    const initRestarts = restarts(spec.initContainers);
    check("initContainerStatuses", (old) =>
      options.allowContainerRestartRules ? initRestarts(old) : initRestarts(old) || isInit(old),
    );
  }
  check("ephemeralContainerStatuses", () => false);
}

function restartsAll({ initContainers = [], containers }: PodSpec): boolean {
  return [...initContainers, ...containers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}

function mayRestart(
  spec: PodSpec,
  container: Container | undefined,
  { state }: ContainerStatus,
  options: PodValidationOptions,
): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (!options.allowContainerRestartRules) return restartsAfter(spec.restartPolicy, exitCode);
  if (container === undefined) return false;
  const { restartPolicy, restartPolicyRules = [] } = container;
  if (restartPolicy === undefined) return restartsAfter(spec.restartPolicy, exitCode);
  const rule = restartPolicyRules.find((one) => matches(one, exitCode));
  if (rule?.action === "Restart") return true;
  if (rule?.action === "RestartAllContainers" && options.allowRestartAllContainers) return true;
  return restartsAfter(restartPolicy, exitCode);
}

function matches({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  const listed = exitCodes.values?.includes(exitCode) === true;
  return exitCodes.operator === "In" ? listed : exitCodes.operator === "NotIn" && !listed;
}

function restartsAfter(policy: string | undefined, exitCode: number): boolean {
  if (policy === "Never") return false;
  return policy !== "OnFailure" || exitCode !== 0;
}
