import { type IPAddress, ipAddresses, type ParentReference } from "#/api/networking/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateIp } from "#/machinery/meta/ip-rules.ts";
import { isDNS1123Subdomain, isPathSegmentName, type NameRule } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Column, type Decoded, serve } from "../../registry/strategy.ts";
import { age, nameColumn } from "../rules/age.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

const columns: readonly Column<IPAddress>[] = [
  nameColumn,
  { name: "ParentRef", type: "string", cell: ({ spec }) => formatParent(spec.parentRef) },
];

/** Upstream: pkg/registry/networking/ipaddress/strategy.go, pkg/apis/networking/validation/validation.go. */
export const ipAddress = serve(ipAddresses, {
  validate: (object) => [...validateIpAddress(object), ...validateDeclared(object.spec.parentRef)],
  validateUpdate: (object, old) => [
    ...validateIpAddress(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateDeclaredUpdate(object, old),
  ],
  columns,
  // Upstream's rows have an age although its columns have none.
  rowCells: (object, now) => [
    object.metadata.name ?? "",
    formatParent(object.spec.parentRef),
    age(object, now),
  ],
});

const nameIsIp: NameRule = (name) =>
  validateIp(fieldPath("name"), name).map(({ detail }) => detail);

function validateIpAddress({ metadata, spec }: Decoded<IPAddress>): FieldError[] {
  const errors = validateClusterMeta(metadata, nameIsIp);
  const parent: ParentReference | undefined = spec.parentRef;
  if (!parent) return errors;
  const path = fieldPath("spec", "parentRef");
  const { group = "", resource = "", name = "", namespace = "" } = parent;
  const check = (field: string, value: string, problems: readonly string[]): void => {
    if (value === "") return;
    for (const problem of problems) errors.push(invalid(path.child(field), value, problem));
  };
  check("group", group, isDNS1123Subdomain(group));
  check("resource", resource, isPathSegmentName(resource));
  check("name", name, isPathSegmentName(name));
  check("namespace", namespace, isPathSegmentName(namespace));
  return errors;
}

/** Declared rules of the types, which come last. */
function validateDeclared(parent: ParentReference | undefined): FieldError[] {
  const path: FieldPath = fieldPath("spec", "parentRef");
  if (!parent) return [required(path)];
  return [
    ...(parent.resource ? [] : [required(path.child("resource"))]),
    ...(parent.name ? [] : [required(path.child("name"))]),
  ];
}

function validateDeclaredUpdate({ spec }: IPAddress, old: IPAddress): FieldError[] {
  const parent: ParentReference | undefined = spec.parentRef;
  if (deepEqual(parent, old.spec.parentRef)) return [];
  const path = fieldPath("spec", "parentRef");
  const missing = parent ? [] : [required(path)];
  return [...missing, invalid(path, null, immutableMessage)];
}

function formatParent(parent: ParentReference | undefined): string {
  if (!parent) return "<none>";
  const { group, resource, namespace, name } = parent;
  const place = namespace ? `/${namespace}` : "";
  return `${(group ? `${resource}.${group}` : resource).toLowerCase()}${place}/${name}`;
}
