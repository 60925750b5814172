import type { RoleBinding, RoleRef, Subject } from "#/api/rbac/v1.ts";
import { type FieldError, invalid, notSupported, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isPathSegmentName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Column } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";

/**
 * Rules that both kinds of bindings share.
 *
 * Upstream: pkg/apis/rbac/validation/validation.go, pkg/apis/rbac/v1/defaults.go.
 */

type Binding = Pick<RoleBinding, "subjects" | "roleRef">;

const rbacGroup = "rbac.authorization.k8s.io";

/** Fills in API groups. */
export function setBindingDefaults({ roleRef, subjects = [] }: Binding): void {
  roleRef.apiGroup ||= rbacGroup;
  for (const subject of subjects) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}

/** Validation errors of a binding except its metadata; roleKinds are the kinds of roles that it may refer to. */
export function validateBinding(
  { roleRef, subjects = [] }: Binding,
  roleKinds: readonly string[],
): FieldError[] {
  const namespaced = roleKinds.includes("Role");
  return [
    ...validateRoleRef(roleRef, roleKinds),
    ...subjects.flatMap((subject, index) =>
      validateSubject(subject, namespaced, fieldPath("subjects").index(index)),
    ),
  ];
}

function validateRoleRef(
  { apiGroup, kind = "", name }: RoleRef,
  roleKinds: readonly string[],
): FieldError[] {
  const path = fieldPath("roleRef");
  const errors: FieldError[] = [];
  if (apiGroup !== rbacGroup) {
    errors.push(notSupported(path.child("apiGroup"), apiGroup, [rbacGroup]));
  }
  if (!roleKinds.includes(kind)) errors.push(notSupported(path.child("kind"), kind, roleKinds));
  if (name) {
    for (const problem of isPathSegmentName(name)) {
      errors.push(invalid(path.child("name"), name, problem));
    }
  }
  return errors;
}

function validateSubject(
  { kind = "", name, apiGroup = "", namespace }: Subject,
  namespaced: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (kind === "ServiceAccount") {
    if (name) {
      for (const problem of nameIsDNSSubdomain(name, false)) {
        errors.push(invalid(path.child("name"), name, problem));
      }
    }
    if (apiGroup !== "") errors.push(notSupported(path.child("apiGroup"), apiGroup, [""]));
    if (!namespaced && !namespace) errors.push(required(path.child("namespace")));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== rbacGroup) {
      errors.push(notSupported(path.child("apiGroup"), apiGroup, [rbacGroup]));
    }
  } else {
    errors.push(notSupported(path.child("kind"), kind, ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}

/** The role of a binding is immutable. */
export function validateSameRole(binding: Binding, old: Binding): FieldError[] {
  if (deepEqual(binding.roleRef, old.roleRef)) return [];
  const { apiGroup: APIGroup, kind: Kind = "", name: Name = "" } = binding.roleRef;
  return [invalid(fieldPath("roleRef"), { APIGroup, Kind, Name }, immutableMessage)];
}

/** Errors of the declared rules of the types, which come last. */
export function declaredErrors({ roleRef, subjects = [] }: Binding): FieldError[] {
  const path = fieldPath("subjects");
  return [
    ...subjects.flatMap(({ name }, index) =>
      name ? [] : [required(path.index(index).child("name"))],
    ),
    ...(roleRef.name ? [] : [required(fieldPath("roleRef", "name"))]),
  ];
}

/** The columns of both kinds of bindings. */
export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  { name: "Role", type: "string", cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  ageColumn,
  { name: "Users", type: "string", priority: 1, cell: (binding) => names(binding, "User") },
  { name: "Groups", type: "string", priority: 1, cell: (binding) => names(binding, "Group") },
  {
    name: "ServiceAccounts",
    type: "string",
    priority: 1,
    cell: (binding) => names(binding, "ServiceAccount"),
  },
];

function names({ subjects = [] }: Binding, kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) => (kind === "ServiceAccount" ? `${namespace}/${name}` : name))
    .join(", ");
}
