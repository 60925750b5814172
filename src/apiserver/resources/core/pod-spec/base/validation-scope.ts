import type { PodOS, RestartPolicy, Volume } from "#/api/core/v1.ts";
import type { FieldReport } from "../../../rules/field-report.ts";
import type { PodValidationOptions } from "./pod-gates.ts";

/** The state that the checks of a Pod's parts share: the report, the options, and properties of the whole Pod. */
export interface ValidationScope {
  readonly report: FieldReport;
  readonly options: PodValidationOptions;
  /** The valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Names of spec.resourceClaims. */
  readonly claimNames: ReadonlySet<string>;
  readonly gracePeriodSeconds: number | undefined;
  readonly os: PodOS | undefined;
  readonly restartPolicy: RestartPolicy | undefined;
  /** The Pod uses the host's user namespace. */
  readonly hostUsers: boolean;
}
