import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import { append } from "#/std/base/append.ts";
import { type FieldError, invalid, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { type Owner, ownerReference } from "./owner-reference.ts";

/** The fields of an owned object. */
interface Owned {
  readonly metadata: Pick<ObjectMeta, "ownerReferences">;
}

/**
 * The reference to the object's controller; undefined if there is none.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go.
 */
export function findControllerReference({ metadata }: Owned): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether the owner, compared by uid, is the object's controller. */
export function isControlledBy(object: Owned, owner: Owner): boolean {
  const reference = findControllerReference(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

/** Whether the owner, compared by uid, is among the object's owners. */
export function isOwnedBy({ metadata }: Owned, owner: Owner): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);
}

/**
 * A reference that makes the owner the controller of an object, and blocks the owner's foreground
 * deletion.
 */
export function controllerReference(
  owner: Owner,
  resource: Pick<Resource, "group" | "version" | "kind">,
): OwnerReference {
  return {
    ...ownerReference(owner, resource),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * Validates an object's owner references.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
 */
export function validateOwnerReferences(
  references: readonly OwnerReference[] | undefined,
  path: FieldPath,
): FieldError[] {
  if (references === undefined) return [];
  const errors: FieldError[] = [];
  let controller = "";
  references.forEach((reference, index) => {
    append(errors, validateOwnerReference(reference, path.index(index)));
    if (reference.controller !== true) return;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === "") {
      controller = name;
      return;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalid(path, references.map(inOrder), detail));
  });
  return errors;
}

/** Kinds that cannot own objects, by apiVersion and kind. */
const bannedOwners: ReadonlySet<string> = new Set(["v1, Kind=Event"]);

const requiredFields = ["kind", "name", "uid"] as const;

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const { apiVersion = "", kind } = reference;
  const errors: FieldError[] = [];
  if (apiVersion === "") errors.push(required(path.child("apiVersion"), "must not be empty"));
  else if (!/^([^/]*\/)?[^/]+$/.test(apiVersion)) {
    const detail = "must be <group>/<version> or <version>";
    errors.push(invalid(path.child("apiVersion"), apiVersion, detail));
  }
  for (const field of requiredFields) {
    if (!reference[field]) errors.push(required(path.child(field), "must not be empty"));
  }
  if (bannedOwners.has(`${apiVersion}, Kind=${kind}`)) {
    const detail = `/${apiVersion}, Kind=${kind} is disallowed from being an owner`;
    errors.push(invalid(path, inOrder(reference), detail));
  }
  return errors;
}

/** The fields in Go's order. */
function inOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) {
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}
