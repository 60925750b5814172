import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "#/api/apiextensions/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";

/** The parts that a version has by itself or that all versions share. */
interface VersionParts {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

/** A version without the parts that all versions share. */
export type HubVersion = Omit<CustomResourceDefinitionVersion, keyof VersionParts> & VersionParts;

/**
 * The spec of a CRD as validation sees it: parts that are equal in all versions occur once, so that errors name
 * spec.validation instead of the schema of a version.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
export interface HubSpec {
  readonly shared: VersionParts;
  readonly versions: readonly HubVersion[];
}

const parts = [
  "schema",
  "subresources",
  "additionalPrinterColumns",
  "selectableFields",
] as const satisfies readonly (keyof VersionParts)[];

/** Moves the parts that are equal in all versions to one place. */
export function hubSpec({ versions = [] }: CustomResourceDefinitionSpec): HubSpec {
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions: [] };
  const alike = parts.filter((part) =>
    versions.every((version) => deepEqual(version[part], first[part])),
  );
  const shared = Object.fromEntries(alike.map((part) => [part, first[part]]));
  const own = versions.map((version): HubVersion => {
    const rest: Record<string, unknown> = { ...version };
    for (const part of alike) delete rest[part];
    return rest as unknown as HubVersion;
  });
  return { shared, versions: own };
}

/** The subresources of a version: its own or the shared ones. */
export function subresourcesOf(
  { shared, versions }: HubSpec,
  version: HubVersion,
): CustomResourceSubresources | undefined {
  const each = versions.some(({ subresources }) => subresources !== undefined);
  return each ? version.subresources : shared.subresources;
}
