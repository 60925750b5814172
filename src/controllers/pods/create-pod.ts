/** Upstream: pkg/controller/controller_utils.go (RealPodControl). */
import { type Pod, type PodTemplateSpec, pods } from "#/api/core/v1.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { deepCopy } from "#/machinery/deep-copy.ts";
import { isStatusError } from "#/machinery/status-error.ts";

interface Owner {
  readonly metadata: ObjectMeta;
}

/** The longest prefix that leaves room for what the server adds to it. */
const maxPrefix = 253 - 5;

/** A pod as a template has it, owned by who makes it. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: Owner,
  reference: OwnerReference,
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const prefix = `${owner.metadata.name}-`;
  return deepCopy({
    metadata: {
      namespace: owner.metadata.namespace,
      generateName: prefix.length > maxPrefix ? (owner.metadata.name ?? "") : prefix,
      ownerReferences: [reference],
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
    },
    spec: template.spec,
  }) as Pod;
}

/** Creates a pod and tells of it in its owner's name; a failure is told of and thrown. */
export async function createPod(
  pod: Pod,
  owner: Owner,
  { client, recorder }: Pick<ControllerContext, "client" | "recorder">,
): Promise<Pod> {
  try {
    const made = await client.create(pods, pod);
    recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
    return made;
  } catch (error) {
    // In a namespace that is going, every creation fails: that is no news.
    if (!isNamespaceTerminating(error)) {
      const message = `Error creating: ${(error as Error).message}`;
      recorder.event(owner, "Warning", "FailedCreate", message);
    }
    throw error;
  }
}

/** Deletes a pod and tells of it in its owner's name; one that is gone already is thrown of, but not told of. */
export async function deletePod(
  pod: Pod,
  owner: Owner,
  { client, recorder }: Pick<ControllerContext, "client" | "recorder">,
): Promise<void> {
  const { name = "", namespace } = pod.metadata;
  try {
    await client.delete(pods, { name, namespace });
  } catch (error) {
    if (!(isStatusError(error) && error.code === 404)) {
      const message = `Error deleting: ${(error as Error).message}`;
      recorder.event(owner, "Warning", "FailedDelete", message);
    }
    throw error;
  }
  recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
}

/** Whether something can't be created because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  return (error.status.details?.causes ?? []).some(
    ({ reason }) => reason === "NamespaceTerminating",
  );
}
