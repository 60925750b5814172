import { type Ingress, type IngressRule, ingresses } from "#/api/networking/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings } from "#/machinery/meta/ip-rules.ts";
import { serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";
import {
  ingressClassAnnotation,
  validateIngress,
  validateIngressCreate,
} from "./validate-ingress.ts";
import { validateIngressStatus } from "./validate-ingress-status.ts";

/** Upstream: pkg/registry/networking/ingress/strategy.go. */
export const ingress = serve(ingresses, {
  storageName: "ingress",
  prepareForCreate(object) {
    object.status = {};
    startGeneration(object);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    countGeneration(object, old);
  },
  validate: validateIngressCreate,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateIngress(object, old),
  ],
  warnings({ metadata, spec }, old) {
    const annotated = metadata.annotations?.[ingressClassAnnotation] !== undefined;
    if (old || !annotated || spec.ingressClassName !== undefined) return [];
    return [
      `annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
    ];
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateIngressStatus(object, old),
    ],
    warnings: ({ status }) =>
      (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
        ip ? ipWarnings(fieldPath("status", "loadBalancer", "ingress").index(index), ip) : [],
      ),
    resetFields: ["spec"],
  },
  columns: [
    nameColumn,
    { name: "Class", type: "string", cell: ({ spec }) => spec.ingressClassName ?? "<none>" },
    { name: "Hosts", type: "string", cell: ({ spec }) => formatHosts(spec.rules ?? []) },
    { name: "Address", type: "string", cell: formatAddress },
    {
      name: "Ports",
      type: "string",
      cell: ({ spec }) => ((spec.tls?.length ?? 0) > 0 ? "80, 443" : "80"),
    },
    ageColumn,
  ],
});

const shownHosts = 3;

function formatHosts(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === shownHosts) more = true;
    if (!more && host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  const shown = hosts.join(",");
  return more ? `${shown} + ${rules.length - shownHosts} more...` : shown;
}

function formatAddress({ status }: Ingress): string {
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
    const address = ip || hostname;
    return address ? [address] : [];
  });
  return [...new Set(addresses)].sort().join(",");
}
