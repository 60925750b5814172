import {
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  networkPolicies,
} from "#/api/networking/v1.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { cidrWarnings } from "#/machinery/meta/ip-rules.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { validatePolicySpec } from "./validate-network-policy.ts";

/** Upstream: pkg/registry/networking/networkpolicy/strategy.go, pkg/apis/networking/v1/defaults.go. */
export const networkPolicy = serve(networkPolicies, {
  setDefaults({ spec }) {
    if ((spec.policyTypes?.length ?? 0) === 0) {
      spec.policyTypes = (spec.egress?.length ?? 0) > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    }
    for (const { ports = [] } of spec.ingress ?? []) setPortDefaults(ports);
    for (const { ports = [] } of spec.egress ?? []) setPortDefaults(ports);
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (object, old) => countGeneration(object, old),
  validate: ({ metadata, spec }) => [
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
    ...validatePolicySpec(spec),
  ],
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validatePolicySpec(object.spec, old.spec),
  ],
  warnings: policyWarnings,
  columns: [
    nameColumn,
    {
      name: "Pod-Selector",
      type: "string",
      cell: ({ spec }) => formatLabelSelector(spec.podSelector),
    },
    ageColumn,
  ],
});

function setPortDefaults(ports: readonly NetworkPolicyPort[]): void {
  for (const port of ports) port.protocol ??= "TCP";
}

function policyWarnings({ spec }: NetworkPolicy): string[] {
  const path = fieldPath("spec");
  return [
    ...(spec.ingress ?? []).flatMap(({ from = [] }, index) =>
      peerWarnings(from, path.child("ingress").index(index).child("from")),
    ),
    ...(spec.egress ?? []).flatMap(({ to = [] }, index) =>
      peerWarnings(to, path.child("egress").index(index).child("to")),
    ),
  ];
}

function peerWarnings(peers: readonly NetworkPolicyPeer[], path: FieldPath): string[] {
  return peers.flatMap(({ ipBlock }, index) => {
    if (!ipBlock) return [];
    const at = path.index(index).child("ipBlock");
    return [
      ...cidrWarnings(at.child("cidr"), ipBlock.cidr),
      ...(ipBlock.except ?? []).flatMap((cidr, place) =>
        cidrWarnings(at.child("except").index(place), cidr),
      ),
    ];
  });
}
