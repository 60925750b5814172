import type { Ingress, IngressBackend } from "#/api/networking/v1.ts";

/** Every backend of an Ingress. */
export const backendsOf = ({ spec }: Ingress): readonly IngressBackend[] => [
  ...(spec?.defaultBackend ? [spec.defaultBackend] : []),
  ...(spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend)),
];

/** The names of the Services to which an Ingress leads, each once. */
export const ingressServices = (ingress: Ingress): readonly string[] => [
  ...new Set(backendsOf(ingress).flatMap(({ service }) => (service ? [service.name] : []))),
];
