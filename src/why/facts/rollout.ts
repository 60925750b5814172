import type { Deployment, DeploymentCondition } from "#/api/apps/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";

export const findProgressing = ({ status }: Deployment): DeploymentCondition | undefined =>
  findCondition(status?.conditions, "Progressing");
