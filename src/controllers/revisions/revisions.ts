/** Upstream: pkg/controller/history/controller_history.go, pkg/controller/daemon/update.go. */
import { type ControllerRevision, controllerRevisions } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { refOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { ignoreNotFound, isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { claim } from "../base/claim.ts";
import { controlledObjects, selectedOrphans } from "../base/selected-objects.ts";
import { templateHash } from "../base/template-hash.ts";
import { type Revised, revisionData } from "./revision-data.ts";

/** The label with the revision of Pods and ControllerRevisions. */
export const revisionLabel = "controller-revision-hash";

type Context = Pick<ControllerContext, "client" | "informers">;

/** The revisions of an owner, in order. */
export interface History {
  /** The revision of the current template. */
  readonly newest: ControllerRevision;
  readonly old: readonly ControllerRevision[];
  /** Number of name collisions with other templates. */
  readonly collisionCount: number | undefined;
}

/** Claims the revisions of an owner, sorted. */
export async function claimRevisions(
  owner: Revised,
  ownerResource: Resource<unknown>,
  { client, informers }: Context,
): Promise<ControllerRevision[]> {
  const selector = compileLabelSelector(owner.spec.selector);
  const { namespace = "" } = owner.metadata;
  const all = [
    ...controlledObjects(controllerRevisions, owner, informers),
    ...selectedOrphans(controllerRevisions, namespace, selector, informers),
  ];
  const claimed = await claim(all, {
    client,
    owner,
    ownerResource,
    resource: controllerRevisions,
    matches: (labels) => selector.matches(labels),
  });
  return claimed.sort(byRevision);
}

/** Ensures that the current template has a revision, and that it is the newest. */
export async function ensureRevision(
  owner: Revised,
  ownerResource: Resource<unknown>,
  revisions: readonly ControllerRevision[],
  { client }: Context,
): Promise<History> {
  const data = revisionData(owner);
  const equal = revisions.filter((revision) => deepEqual(revision.data, data));
  const current = equal.at(-1);
  const old = revisions.filter((revision) => !equal.includes(revision));
  const revision = Math.max(0, ...old.map((one) => one.revision)) + 1;
  const { collisionCount } = owner.status ?? {};
  if (!current) return { ...(await create(owner, ownerResource, revision, client)), old };
  if (current.revision >= revision) return { newest: current, old, collisionCount };
  // Only the number, so that the data stays as written.
  const patch = { metadata: { uid: current.metadata.uid }, revision };
  const newest = await client.patch(controllerRevisions, refOf(current), patch, { type: "merge" });
  return { newest, old, collisionCount };
}

/** Limit of the owner's name in a revision's name (characters). */
const maxPrefix = 223;

async function create(
  owner: Revised,
  ownerResource: Resource<unknown>,
  revision: number,
  client: Context["client"],
): Promise<Pick<History, "newest" | "collisionCount">> {
  const { name = "", namespace, annotations } = owner.metadata;
  const data = revisionData(owner);
  for (let { collisionCount } = owner.status ?? {}; ; collisionCount = (collisionCount ?? 0) + 1) {
    const hash = templateHash(owner.spec.template, collisionCount);
    const desired = {
      metadata: {
        name: `${name.slice(0, maxPrefix)}-${hash}`,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...owner.spec.template.metadata?.labels, [revisionLabel]: hash },
        ...(annotations ? { annotations } : {}),
        ownerReferences: [controllerReference(owner, ownerResource)],
      },
      data,
      revision,
    };
    try {
      return { newest: await client.create(controllerRevisions, desired), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await client.get(controllerRevisions, refOf(desired));
      if (deepEqual(there.data, data)) return { newest: there, collisionCount };
    }
  }
}

/** Deletes this number of old revisions, the oldest first, but none in use. */
export async function deleteRevisions(
  old: readonly ControllerRevision[],
  count: number,
  isUsed: (revision: ControllerRevision) => boolean,
  { client }: Context,
): Promise<void> {
  const unused = old.filter((revision) => !isUsed(revision)).sort(byRevision);
  for (const revision of unused.slice(0, Math.max(0, count))) {
    await client.delete(controllerRevisions, refOf(revision)).catch(ignoreNotFound);
  }
}

/** Lower numbers first, then older ones. */
function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
