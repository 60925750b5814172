import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Change, World } from "../world.ts";
import type { Property } from "./property.ts";

/** The garbage collector deletes no object whose owner stays. */
export class GarbageIsGarbage implements Property {
  readonly name = "the garbage collector deletes no dependent of a living owner";
  /** Paths of its pending deletions. */
  readonly #underWay: string[] = [];

  /** Records a deletion until it is answered. */
  deleting(path: string): Disposable {
    this.#underWay.push(path);
    return { [Symbol.dispose]: () => void this.#underWay.splice(this.#underWay.indexOf(path), 1) };
  }

  check({ resource, key, now, old }: Change, world: World): string | undefined {
    const isDeletion =
      old && !old.metadata.deletionTimestamp && (!now || now.metadata.deletionTimestamp);
    if (!isDeletion || !this.#isUnderWay(resource, key)) return undefined;
    const owner = livingOwner(old.metadata, world);
    return owner && `${resource} ${key} was deleted, its owner ${owner} lives`;
  }

  #isUnderWay(resource: string, key: string): boolean {
    const [first = "", second] = key.split("/");
    const end = second === undefined ? `/${resource}/${first}` : `/${first}/${resource}/${second}`;
    return this.#underWay.some((path) => path.endsWith(end));
  }
}

function livingOwner({ ownerReferences = [] }: ObjectMeta, world: World): string | undefined {
  for (const { uid, kind, name } of ownerReferences) {
    const owner = world.findUid(uid);
    if (!owner) continue;
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    if (deletionTimestamp && finalizers.includes("foregroundDeletion")) continue;
    return `${kind} ${name}`;
  }
  return undefined;
}
