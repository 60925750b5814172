import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings } from "#/machinery/meta/ip-rules.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { startGeneration } from "../rules/generation.ts";
import { validateEndpointSlice } from "./validate-endpoint-slice.ts";

const hostLabel = "kubernetes.io/hostname";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const managers: ReadonlySet<string> = new Set([
  "endpointslice-controller.k8s.io",
  "endpointslicemirroring-controller.k8s.io",
]);

/** Upstream: pkg/registry/discovery/endpointslice/strategy.go, pkg/apis/discovery/v1/defaults.go. */
export const endpointSlice = serve(endpointSlices, {
  setDefaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareForCreate(object) {
    startGeneration(object);
    dropTopology(object, undefined);
  },
  prepareForUpdate(object, old) {
    if (isChanged(object, old)) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    dropTopology(object, old);
  },
  validate: (object) => validateEndpointSlice(object),
  validateUpdate: (object, old) => validateEndpointSlice(object, old),
  canonicalize(object) {
    // Upstream's store has no empty lists.
    if (object.endpoints?.length === 0) delete object.endpoints;
  },
  warnings: (object, old) => [
    ...(!old && object.addressType === "FQDN"
      ? ["spec.addressType: FQDN endpoints are deprecated"]
      : []),
    ...addressWarnings(object),
  ],
  columns: [
    nameColumn,
    { name: "AddressType", type: "string", cell: ({ addressType }) => addressType },
    {
      name: "Ports",
      type: "string",
      cell: ({ ports = [] }) =>
        formatSome(ports.map(({ port, name }) => String(port ?? name ?? "*"))),
    },
    {
      name: "Endpoints",
      type: "string",
      cell: ({ endpoints = [] }) =>
        formatSome(endpoints.flatMap(({ addresses = [] }) => addresses)),
    },
    ageColumn,
  ],
});

/** The generation counts changes of labels and of everything outside metadata. */
function isChanged(object: Decoded<EndpointSlice>, old: Decoded<EndpointSlice>): boolean {
  const { metadata, ...content } = object;
  const { metadata: oldMetadata, ...oldContent } = old;
  return (
    !deepEqual(content, oldContent) || !deepEqual(metadata.labels ?? {}, oldMetadata.labels ?? {})
  );
}

/** The topology labels of an endpoint, which the nodeName field replaced, cannot be written in v1. */
function dropTopology(object: EndpointSlice, old: EndpointSlice | undefined): void {
  if (old && deepEqual(object.endpoints, old.endpoints)) return;
  const known = new Set(
    (old?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[hostLabel]),
  );
  for (const endpoint of object.endpoints ?? []) {
    const host = endpoint.deprecatedTopology?.[hostLabel];
    const usable = host && known.has(host) && nameIsDNSSubdomain(host, false).length === 0;
    if (endpoint.nodeName === undefined && usable) endpoint.nodeName = host;
    delete endpoint.deprecatedTopology;
  }
}

function addressWarnings({ metadata, endpoints }: Decoded<EndpointSlice>): string[] {
  if (managers.has(metadata.labels?.[managedByLabel] ?? "")) return [];
  return (endpoints ?? []).flatMap(({ addresses = [] }, index) =>
    addresses.flatMap((address, place) =>
      ipWarnings(fieldPath("endpoints").index(index).child("addresses").index(place), address),
    ),
  );
}

const shown = 3;

function formatSome(items: readonly string[]): string {
  const text = items.slice(0, shown).join(",");
  if (items.length > shown) return `${text} + ${items.length - shown} more...`;
  return text || "<unset>";
}
