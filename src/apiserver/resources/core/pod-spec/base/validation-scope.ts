import type { PodOS, RestartPolicy, Volume } from "#/api/core/v1.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import type { PodValidationOptions } from "./pod-gates.ts";

/** What the checks of a pod's parts share: where errors go, the rules, and what is true of the pod as a whole. */
export interface ValidationScope {
  readonly report: FieldReport;
  readonly options: PodValidationOptions;
  /** The volumes that are right, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Names of spec.resourceClaims. */
  readonly claimNames: ReadonlySet<string>;
  readonly gracePeriodSeconds: number | undefined;
  readonly os: PodOS | undefined;
  readonly restartPolicy: RestartPolicy | undefined;
  /** The pod's users are the host's. */
  readonly hostUsers: boolean;
}
