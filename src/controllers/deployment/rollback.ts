/** Upstream: pkg/controller/deployment/rollback.go. */
import { type Deployment, deployments, type ReplicaSet } from "#/api/apps/v1.ts";
import { parseInt64 } from "#/machinery/values/int64.ts";
import type { Context } from "./deployment.ts";
import {
  annotations,
  isSameTemplate,
  lastRevision,
  revisionOf,
  rolledBackAnnotations,
  withoutHash,
} from "./revisions.ts";

/**
 * The revision in the legacy rollback annotation, 0 for the previous one; undefined without the
 * annotation.
 */
export function rollbackRevision({ metadata }: Deployment): bigint | undefined {
  const text = metadata.annotations?.[annotations.rollbackTo];
  return text === undefined ? undefined : parseInt64(text);
}

/** Restores the template of an earlier revision, and removes the annotation in any case. */
export async function rollBack(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  { client, recorder }: Context,
): Promise<undefined> {
  const { [annotations.rollbackTo]: _, ...rest } = deployment.metadata.annotations ?? {};
  const clear = (spec: Deployment["spec"], kept: Record<string, string>) =>
    client.update(deployments, {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: kept },
      ...(spec ? { spec } : {}),
    });
  const giveUp = async (reason: string, message: string): Promise<undefined> => {
    recorder.event(deployment, "Warning", reason, message);
    await clear(deployment.spec, rest);
  };
  const wished = rollbackRevision(deployment) ?? 0n;
  const revision = wished === 0n ? lastRevision(sets) : wished;
  const notFound = "DeploymentRollbackRevisionNotFound";
  if (revision === 0n) return await giveUp(notFound, "Unable to find last revision.");
  const set = sets.find((one) => revisionOf(one) === revision);
  if (!set) return await giveUp(notFound, "Unable to find the revision to rollback to.");
  const { name } = deployment.metadata;
  if (isSameTemplate(deployment.spec?.template, set.spec?.template)) {
    return await giveUp(
      "DeploymentRollbackTemplateUnchanged",
      `The rollback revision contains the same template as current deployment "${name}"`,
    );
  }
  const spec = { ...deployment.spec, template: withoutHash(set.spec?.template) };
  await clear(spec as Deployment["spec"], rolledBackAnnotations(deployment, set));
  const message = `Rolled back deployment "${name}" to revision ${revision}`;
  recorder.event(deployment, "Normal", "DeploymentRollback", message);
  return undefined;
}
