import type { Ingress, IngressBackend } from "#/api/networking/v1.ts";
import type { Backends } from "./backends/backends.ts";
import type { Certificates } from "./backends/certificates.ts";
import type { Problem } from "./ingress/plan-ingresses.ts";

interface Known {
  readonly backends: Backends;
  readonly certificates: Certificates;
}

/** Deficiencies of Ingresses that depend on other objects: Services and Secrets. A lack of ready Pods is none. */
export function ingressProblems(own: readonly Ingress[], known: Known): Problem[] {
  return own.flatMap((ingress) => [
    ...backendsOf(ingress).flatMap((backend) => backendProblem(ingress, backend, known.backends)),
    ...secretsOf(ingress).flatMap((key) => {
      const message = known.certificates.problemOf(key);
      return message ? [{ ingress, reason: "BadCertificate", message }] : [];
    }),
  ]);
}

function backendsOf({ spec }: Ingress): IngressBackend[] {
  const ofRules = (spec?.rules ?? []).flatMap(({ http }) =>
    (http?.paths ?? []).map(({ backend }) => backend),
  );
  return spec?.defaultBackend ? [spec.defaultBackend, ...ofRules] : ofRules;
}

function backendProblem(
  ingress: Ingress,
  { service }: IngressBackend,
  backends: Backends,
): Problem[] {
  if (!service) return [];
  const { namespace = "" } = ingress.metadata;
  const port = service.port?.name || service.port?.number || 0;
  const found = backends.resolve({ namespace, service: service.name, port });
  if (!("reason" in found) || found.reason === "NoEndpoints") return [];
  return [{ ingress, reason: found.reason, message: found.message }];
}

const secretsOf = ({ metadata, spec }: Ingress): string[] =>
  (spec?.tls ?? []).flatMap(({ secretName }) =>
    secretName ? [`${metadata.namespace}/${secretName}`] : [],
  );
