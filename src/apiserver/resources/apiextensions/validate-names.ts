import type { CustomResourceDefinitionNames } from "#/api/apiextensions/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label } from "#/machinery/meta/names.ts";

/** The names that are required in a spec but not in a status. */
export function requireNames(names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => !names[name])
    .map((name) => required(path.child(name)));
}

/**
 * Validation errors of the names that are set.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export function validateNames(names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (at: FieldPath, name: string): void => {
    const problems = isDNS1035Label(name);
    if (problems.length > 0) errors.push(invalid(at, name, problems.join(",")));
  };
  const checkKind = (at: FieldPath, kind: string): void => {
    const problems = isDNS1035Label(kind.toLowerCase());
    if (problems.length === 0) return;
    const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    errors.push(invalid(at, kind, detail));
  };
  if (names.plural) check(path.child("plural"), names.plural);
  if (names.singular) check(path.child("singular"), names.singular);
  if (names.kind) checkKind(path.child("kind"), names.kind);
  if (names.listKind) checkKind(path.child("listKind"), names.listKind);
  names.shortNames?.forEach((name, index) => {
    check(path.child("shortNames").index(index), name);
  });
  if (names.kind && names.kind === names.listKind) {
    const detail = "kind and listKind may not be the same";
    errors.push(invalid(path.child("listKind"), names.listKind, detail));
  }
  names.categories?.forEach((name, index) => {
    check(path.child("categories").index(index), name);
  });
  return errors;
}
